"""Sources of pictures: real files, a real little server, and cameras that are not there, silent or pulled out."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from physics.errors import InputError
from vision.camera.frames import Back, CameraFrame, Ended, Frames, Item, Lost
from vision.camera.sources import (
    AddressSource,
    CameraSource,
    FolderSource,
    Image,
    ProgramSource,
    Skipped,
    Source,
    Taken,
    VideoSource,
    source_of,
)

SOON = 20.0  # s, for what is sure to come


def picture(level: int, width: int = 64, height: int = 48) -> Image:
    return np.full((height, width, 3), level, np.uint8)


def level_of(frame: object) -> int:
    assert isinstance(frame, CameraFrame)
    return round(float(frame.picture.mean()))


def next_of(frames: Frames) -> Item:
    found = frames.poll(SOON)
    assert found is not None
    return found


def until(frames: Frames, kind: type) -> Any:
    """The first item of that kind; others are passed over."""
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline:
        found = frames.poll(SOON)
        if isinstance(found, kind):
            return found
    raise AssertionError(f"no {kind.__name__} came")


def write_video(path: Path, levels: range, rate: float = 25.0) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), rate, (64, 48))
    for level in levels:
        writer.write(picture(level))
    writer.release()


def test_a_video_gives_every_picture_with_its_time(tmp_path: Path) -> None:
    write_video(tmp_path / "fall.avi", range(20, 220, 10))
    source = source_of(str(tmp_path / "fall.avi"))
    assert isinstance(source, VideoSource) and not source.is_live
    with Frames(source) as frames:
        found = [item for item in frames if isinstance(item, CameraFrame)]
    assert [frame.number for frame in found] == list(range(20))
    assert [frame.time for frame in found] == pytest.approx([k / 25 for k in range(20)], abs=1e-3)
    assert [level_of(frame) for frame in found] == pytest.approx(list(range(20, 220, 10)), abs=3)


def test_a_folder_is_read_in_the_order_people_count_and_damaged_pictures_are_skipped(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        cv2.imwrite(str(tmp_path / f"im_{number}.png"), picture(20 * number))
    (tmp_path / "im_2.jpg").write_text("this is a text")
    (tmp_path / "notes.txt").write_text("not a picture")
    with Frames(source_of(str(tmp_path))) as frames:
        items = list(frames)
    assert [level_of(item) for item in items if isinstance(item, CameraFrame)] == [20, 180, 200]
    (skipped,) = [item for item in items if isinstance(item, Skipped)]
    assert "im_2.jpg is not a picture" in str(skipped.reason)


def test_colours_come_as_red_green_blue(tmp_path: Path) -> None:
    red = np.zeros((48, 64, 3), np.uint8)
    red[..., 2] = 200  # OpenCV writes blue green red
    cv2.imwrite(str(tmp_path / "red.png"), red)
    writer = cv2.VideoWriter(str(tmp_path / "red.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48))
    writer.write(red)
    writer.release()
    for name in ("red.png", "red.avi"):
        with Frames(source_of(str(tmp_path / name))) as frames:
            found = next_of(frames)
        assert isinstance(found, CameraFrame)
        assert found.picture[24, 32].tolist() == pytest.approx([200, 0, 0], abs=6)


def test_one_picture_is_a_source_of_one(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(50))
    with Frames(source_of(str(tmp_path / "a.png"))) as frames:
        assert level_of(next_of(frames)) == 50
        assert isinstance(next_of(frames), Ended) and isinstance(next_of(frames), Ended)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.mp4", "cannot be read: No such file"),
        ("missing.png", "cannot be read: No such file"),
        ("text.mp4", "is not a video that can be read"),
        ("empty", "has no picture"),
        ("127.0.0.1", "cannot be read"),
    ],
)
def test_what_is_no_source_is_refused_with_a_sentence(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "text.mp4").write_text("this is a text")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=said), Frames(source_of(str(tmp_path / name))) as frames:
        list(frames)


def test_a_camera_that_is_not_there() -> None:
    with pytest.raises(InputError, match="no camera 97"), Frames(source_of("97")) as frames:
        frames.poll(SOON)


class FakeCapture:
    """A camera that gives some pictures and then none."""

    opens = True
    pictures = 5
    released = 0

    def __init__(self, number: int) -> None:
        self.left = type(self).pictures

    def isOpened(self) -> bool:
        return self.opens

    def get(self, key: int) -> float:
        return 160.0 if key == cv2.CAP_PROP_FRAME_WIDTH else 120.0

    def getBackendName(self) -> str:
        return "PRETENDED"

    def read(self) -> tuple[bool, Image | None]:
        self.left -= 1
        time.sleep(0.002)  # as long as a picture takes
        return (True, picture(100)) if self.left >= 0 else (False, None)

    def release(self) -> None:
        type(self).released += 1


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> type[FakeCapture]:
    class Capture(FakeCapture):
        pass

    monkeypatch.setattr(cv2, "VideoCapture", Capture)
    monkeypatch.setattr(Path, "exists", lambda _path: True)
    return Capture


def test_a_camera_in_use_is_refused_at_once(capture: type[FakeCapture]) -> None:
    capture.opens = False
    with pytest.raises(InputError, match="another program"), Frames(CameraSource(0)) as frames:
        frames.poll(SOON)
    assert capture.released == 1


def test_a_camera_pulled_out_in_mid_game_is_reported_and_comes_back(capture: type[FakeCapture]) -> None:
    with Frames(CameraSource(0), retry=0.01) as frames:
        first = until(frames, CameraFrame)
        lost = until(frames, Lost)
        assert "still plugged in" in str(lost.reason)
        until(frames, Back)
        again = until(frames, CameraFrame)
        assert again.number > first.number and again.time > first.time


def test_a_camera_that_hangs_is_given_up_and_opened_anew() -> None:
    woken = threading.Event()
    attempts: list[int] = []

    def pictures() -> Iterator[Taken]:
        attempts.append(len(attempts))
        if len(attempts) == 2:
            woken.wait(SOON)  # a driver that never comes back
        for _ in range(2):
            yield time.monotonic(), picture(80)
        if len(attempts) == 1:
            woken.wait(SOON)
        while not woken.is_set():
            yield time.monotonic(), picture(90)

    source = ProgramSource(pictures, name="stuck", is_live=True)
    with Frames(source, patience=0.1, retry=0.01) as frames:
        until(frames, CameraFrame)
        assert "no picture for 0.1 s" in str(until(frames, Lost).reason)
        until(frames, Back)
        assert len(attempts) == 3  # the second attempt hung as well, and was not reported a second time
        assert level_of(until(frames, CameraFrame)) in (80, 90)
        woken.set()


def test_polling_never_waits_longer_than_asked() -> None:
    woken = threading.Event()

    def pictures() -> Iterator[Taken]:
        woken.wait(SOON)
        yield 0.0, picture(1)

    with Frames(ProgramSource(pictures, is_live=True), patience=SOON) as frames:
        began = time.monotonic()
        assert frames.poll(0.05) is None and frames.poll(0.0) is None
        assert time.monotonic() - began < SOON / 2
        woken.set()


def test_a_program_that_breaks_is_said_in_a_sentence() -> None:
    def pictures() -> Iterator[Taken]:
        yield 0.0, picture(1)
        raise RuntimeError("no light")

    with Frames(ProgramSource(pictures)) as frames:
        assert isinstance(next_of(frames), CameraFrame)
        with pytest.raises(InputError, match="The source synthetic broke off: no light"):
            next_of(frames)


def test_a_slow_reader_of_a_live_source_gets_the_newest_picture() -> None:
    begun, given, taken = threading.Event(), threading.Event(), threading.Event()

    def pictures() -> Iterator[Taken]:
        yield 0.0, picture(200)
        begun.wait(SOON)
        for level in range(1, 100):
            yield float(level), picture(level)
        given.set()
        taken.wait(SOON)

    with Frames(ProgramSource(pictures, is_live=True)) as frames:
        assert level_of(next_of(frames)) == 200
        begun.set()
        assert given.wait(SOON)
        assert level_of(next_of(frames)) == 99
        taken.set()


class Streamer(http.server.ThreadingHTTPServer):
    """An MJPEG camera in this process."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], *, pictures: int, with_length: bool, kind: str = "") -> None:
        self.pictures, self.with_length = pictures, with_length
        self.kind = kind or "multipart/x-mixed-replace; boundary=frame"
        super().__init__(address, Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    server: Streamer

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", self.server.kind)
        self.end_headers()
        for count in range(self.server.pictures):
            body = cv2.imencode(".jpg", picture(10 + count % 200))[1].tobytes()
            length = f"Content-Length: {len(body)}\r\n" if self.server.with_length else ""
            head = f"--frame\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode()
            try:
                self.wfile.write(head + body + b"\r\n")
            except OSError:
                return
        self.wfile.write(b"--frame--\r\n")

    def log_message(self, format: str, *args: object) -> None:
        pass


def serve(server: Streamer) -> str:
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/video"


@pytest.mark.parametrize("with_length", [True, False])
def test_an_mjpeg_address_is_read_with_and_without_lengths(with_length: bool) -> None:
    with Streamer(("127.0.0.1", 0), pictures=12, with_length=with_length) as server:
        source = source_of(serve(server))
        found = []
        with pytest.raises(InputError, match="stopped sending"):
            for item in source.pictures():
                assert not isinstance(item, Skipped)
                found.append(round(float(item[1].mean())))
        server.shutdown()
    assert found == pytest.approx(list(range(10, 22)), abs=2)


def test_an_address_that_vanishes_is_reported_and_comes_back() -> None:
    with Streamer(("127.0.0.1", 0), pictures=30, with_length=True) as server:
        address, port = serve(server), server.server_address[1]
        frames = Frames(AddressSource(address, patience=2.0), patience=2.0, retry=0.01)
        until(frames, CameraFrame)
        until(frames, Lost)  # the stream ends
        server.shutdown()
    # Nobody listens now: the loss stays one loss.
    for _ in range(3):
        assert not isinstance(frames.poll(0.05), Lost)
    with Streamer(("127.0.0.1", port), pictures=10_000_000, with_length=True) as server:
        serve(server)
        until(frames, Back)
        assert level_of(until(frames, CameraFrame)) >= 10
        frames.close()
        server.shutdown()


def test_an_address_that_is_no_stream() -> None:
    with Streamer(("127.0.0.1", 0), pictures=0, with_length=True, kind="text/html") as server:
        with pytest.raises(InputError, match="gives text/html, but an MJPEG stream"):
            next(iter(source_of(serve(server)).pictures()))
        server.shutdown()
    with pytest.raises(InputError, match="does not answer"):
        next(iter(AddressSource("http://127.0.0.1:9/video", patience=2.0).pictures()))


def test_all_sources_have_one_interface(tmp_path: Path) -> None:
    sources: list[Source] = [CameraSource(0), VideoSource(tmp_path), FolderSource(tmp_path), AddressSource("http://a")]
    assert [source.is_live for source in sources] == [True, False, False, True]
    assert source_of("synthetic", lambda: iter([(0.0, picture(1))])).name == "synthetic"


def test_python_leaves_only_when_a_slow_source_has_ended() -> None:
    """It would abort while OpenCV is at work in the source's thread."""
    script = """
import time, cv2, numpy as np
from vision.camera.frames import CameraFrame, Frames

class Slow:
    name, is_live = "slow", True

    def pictures(self):
        picture = np.zeros((300, 300, 3), np.uint8)
        yield 0.0, picture
        end = time.monotonic() + 3.5
        while time.monotonic() < end:
            cv2.medianBlur(picture, 31)
        yield 1.0, picture

with Frames(Slow()) as frames:
    assert isinstance(frames.poll(5.0), CameraFrame)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
