"""Pictures one after another as a film: .mp4 with its sounds, or .gif of few colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from physics.errors import MissingError, OutputError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

FILM_ENDINGS = (".mp4", ".gif")
GIF_COLOURS = 255
QUALITY = {"crf": "20", "preset": "veryfast"}

Image = npt.NDArray[np.uint8]
Samples = npt.NDArray[np.float32]
Size = tuple[int, int]


def require_film(ending: str) -> None:
    """MissingError when a package that films with that ending (or still pictures, .png) take is not installed."""
    from vision.opencv import require_cv2

    require_cv2()
    if ending == ".mp4":
        try:
            import av  # noqa: F401
        except ImportError:
            raise MissingError(
                "Films need {package}, which is not installed (extra {extra}).", package="av", extra="video"
            ) from None
        return
    try:
        import matplotlib  # noqa: F401  for its letters
        import PIL  # noqa: F401
    except ImportError:
        raise MissingError(
            "Pictures need {package}, which is not installed (extra {extra}).", package="matplotlib", extra="lab"
        ) from None


def write_mp4(
    beside: Path,
    path: Path,
    pictures: Iterable[tuple[Image, int]],
    size: Size,
    rate: int,
    sound: tuple[int, Iterator[Samples]] | None = None,
) -> None:
    """H.264 with the index in front, so that it plays in browsers while it loads; the pictures, and how often each.

    `sound` is its samples per second and them second by second. OutputError about `path` when it cannot be written.
    """
    import av

    try:
        with av.open(str(beside), "w", format="mp4", options={"movflags": "+faststart"}) as film:
            stream = film.add_stream("libx264", rate=rate, options=dict(QUALITY))
            stream.width, stream.height = size
            stream.pix_fmt = "yuv420p"
            stream.time_base = Fraction(1, rate)
            ear = None if sound is None else _Ear(film, *sound)
            shown = 0
            for picture, count in pictures:
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
                for _again in range(count):
                    if ear is not None and shown % rate == 0:
                        ear.second()
                    frame.pts, frame.time_base = shown, Fraction(1, rate)
                    film.mux(stream.encode(frame))
                    shown += 1
            film.mux(stream.encode())
            if ear is not None:
                ear.end()
    except av.error.FFmpegError as error:
        raise OutputError("{file} cannot be written: {reason}.", file=str(path), reason=error.strerror) from None


class _Ear:
    """The track of sounds of a film that is being written: AAC, one channel."""

    def __init__(self, film: object, rate: int, seconds: Iterator[Samples]) -> None:
        from av.container import OutputContainer

        assert isinstance(film, OutputContainer)
        self._film, self._rate, self._seconds, self._heard = film, rate, seconds, 0
        self._stream = film.add_stream("aac", rate=rate)
        self._stream.layout = "mono"

    def second(self) -> None:
        """Writes the next second of it, where there is one."""
        import av

        samples = next(self._seconds, None)
        if samples is None:
            return
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[None]), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = self._rate, self._heard, Fraction(1, self._rate)
        self._film.mux(self._stream.encode(frame))
        self._heard += len(samples)

    def end(self) -> None:
        """Writes what is left."""
        self._film.mux(self._stream.encode())


def write_gif(beside: Path, some: Sequence[Image], pictures: Iterable[Image], durations: Sequence[int]) -> None:
    """A film of few colours, chosen once from `some` of its pictures: what does not move then costs nothing.

    The durations are in ms. What PIL raises when it cannot be written.
    """
    from PIL import Image as images

    palette = _palette(some)
    first, *rest = (
        images.fromarray(picture).quantize(palette=palette, dither=images.Dither.NONE) for picture in pictures
    )
    first.save(beside, save_all=True, append_images=rest, duration=list(durations), loop=0, optimize=False)


def _palette(some: Sequence[Image]) -> Picture:
    from PIL import Image as images

    seen = np.concatenate([picture.reshape(-1, 3) for picture in some])
    kinds, counts = np.unique(seen & 0xF8, axis=0, return_counts=True)
    # The table is nearly all there is to see; by the roots of their numbers the tiles get their share of colours.
    drops = np.repeat(kinds | 4, np.ceil(np.sqrt(counts)).astype(int), axis=0)
    return images.fromarray(drops[None]).quantize(GIF_COLOURS, method=images.Quantize.MEDIANCUT)
