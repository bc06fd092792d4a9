"""The commands about the rig, as people call them: with the software rig, and with the firmware in simavr."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from calibration.store import newest
from game.cli import main
from game.commands import doctor, prove
from game.proof.rig import MEASURED, RigProof, part_text, write_part
from hardware import link, opening
from hardware.simulated.emulated import EmulatedPort, VirtualClock
from hardware.simulated.simavr import Simulator, build
from hardware.simulated.trial import emulated_trial

EMULATED = ("--port", "emulated")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("TOPPLE_LANG", "en")
    monkeypatch.setattr(opening, "EmulatedPort", lambda: EmulatedPort(VirtualClock()))  # nobody watches
    return tmp_path / "topple" / "calibrations"


@pytest.fixture(scope="module")
def simulated() -> Iterator[str]:
    with Simulator(build(), free=True) as simulator:
        yield simulator.port_name


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    assert main(list(arguments)) == code
    out, err = capsys.readouterr()
    assert out == "" and len(err.strip().splitlines()) == 1
    return err.strip()


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main([*arguments, "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_status_says_it_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rig", "status", *EMULATED]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Rig e0000001 at emulated, firmware 1.0\n")
    assert "now: at rest, disarmed" in out and "tilt: +0.12° about x, -0.08° about y" in out
    assert "calibration: taps of 0.050 to 1.600 mN·s" in out and "0 asked again" in out
    found = answer(capsys, "rig", "status", *EMULATED)
    assert found["device"] == "e0000001" and found["faults"] == []
    assert isinstance(found["link"], dict) and found["link"]["sent"] == 5


def test_a_tap_by_impulse_and_by_stroke(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "rig", "tap", *EMULATED, "--impulse", "0.64")
    assert found["touched"] is True and found["stroke_us"] == pytest.approx(400, abs=1)
    assert main(["rig", "tap", *EMULATED, "--stroke", "300"]) == 0
    assert capsys.readouterr().out == "Tapped with 300 µs; the tile was touched after 34 ms.\n"


def test_tilt_stop_and_monitor(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "rig", "tilt", *EMULATED, "--angle", "3", "--rate", "20", "--hold", "0")
    assert found["measured"] == [pytest.approx(0.12, abs=0.02), pytest.approx(2.92, abs=0.02)]
    assert main(["rig", "stop", *EMULATED]) == 0
    assert capsys.readouterr().out == "Stopped: arm back, plate level, disarmed.\n"
    assert main(["rig", "monitor", *EMULATED, "--for", "0.3", "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 3 and lines[0]["uptime_ms"] < lines[-1]["uptime_ms"]


def test_bad_use_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(capsys, "rig", "tap", *EMULATED) == "A tap needs either --impulse or --stroke."
    assert refused(capsys, "rig", "tilt", *EMULATED) == "A tilt needs --angle."
    assert "0.050 to 1.600" in refused(capsys, "rig", "tap", *EMULATED, "--impulse", "9")
    assert "There is no port /dev/nowhere" in refused(capsys, "rig", "status", "--port", "/dev/nowhere")
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    assert refused(capsys, "rig", "status").startswith("No rig is plugged in: connect it by USB")
    monkeypatch.setattr(link, "serial", None)
    assert refused(capsys, "rig", "status") == "pyserial is not installed here (extra rig)."


def test_a_calibration_is_stored_used_and_refused_when_stale(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    found = answer(capsys, "calibrate", "rig", *EMULATED, "--sensitivity", "2.046")
    assert found["impulse"] == [pytest.approx(0.28, abs=0.002), pytest.approx(1.33, abs=0.002)]
    assert found["tilt_gain"] == pytest.approx(1.03, abs=0.001)
    path = newest("rig", "e0000001", folder)
    assert path is not None and found["file"] == str(path)
    assert main(["rig", "status", *EMULATED]) == 0
    assert "calibration: taps of 0.280 to 1.330 mN·s" in capsys.readouterr().out
    path.write_text(path.read_text().replace("basis = ", 'basis = "0000" # '))
    assert "is out of date" in refused(capsys, "rig", "tap", *EMULATED, "--impulse", "0.4")
    assert main(["rig", "status", *EMULATED]) == 0
    assert "calibration: none." in capsys.readouterr().out


def test_people_are_asked_what_fell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Tile 8 falls at 0.586 mN·s: those who answer say that the arm gives that much between 362 and 375 µs."""
    answers = iter(["n", "n", "what?", "y", "y", "y", "y", "n", "y", "n"])
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(answers) + "\n"))
    found = answer(capsys, "calibrate", "rig", *EMULATED, "--tile", "8")
    assert isinstance(found["taps"], list) and len(found["taps"]) == 9
    assert sorted(tap["stroke_us"] for tap in found["taps"]) == [200, 300, 350, 362, 375, 400, 500, 600, 700]
    assert found["impulse"] == [pytest.approx(0.28, rel=0.03), pytest.approx(1.33, rel=0.03)]


def test_without_anybody_to_ask_it_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["calibrate", "rig", *EMULATED]) == 2
    assert "Nobody answers: calibrate at a terminal" in capsys.readouterr().err
    assert "no tile 99 in the set" in refused(capsys, "calibrate", "rig", *EMULATED, "--tile", "99")
    assert "cannot be tapped at" in refused(capsys, "calibrate", "rig", *EMULATED, "--height", "99")
    assert "--video takes STROKE=FILE" in refused(capsys, "calibrate", "rig", *EMULATED, "--video", "tap.mp4")


def test_the_firmware_answers_the_same_commands(capsys: pytest.CaptureFixture[str], simulated: str) -> None:
    port = ("--port", simulated)
    found = answer(capsys, "rig", "status", *port)
    assert found["device"] == "00000000" and found["faults"] == ["no_calibration"] and found["impulse"] is None
    assert "There is no calibration of rig 00000000" in refused(capsys, "rig", "tap", *port, "--impulse", "0.4")
    tapped = answer(capsys, "rig", "tap", *port, "--stroke", "300", "--countdown", "0")
    assert tapped["touched"] is False
    tilted = answer(capsys, "rig", "tilt", *port, "--angle", "2", "--rate", "20", "--hold", "0", "--countdown", "0")
    assert tilted["asked"] == 2
    assert main(["rig", "stop", *port]) == 0


def test_a_rig_is_found_among_other_ports(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, simulated: str
) -> None:
    ports = [link.Found("/dev/nowhere", "Arduino", True), link.Found("/dev/null", "a modem", False)]
    monkeypatch.setattr(opening, "find_ports", lambda: ports)
    assert "There is no port /dev/nowhere" in refused(capsys, "rig", "status")
    ports.append(link.Found(simulated, "Arduino", True))
    assert answer(capsys, "rig", "status")["port"] == simulated


def test_doctor_says_what_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_ports", lambda: [link.Found("/dev/ttyUSB0", "USB Serial", True)])
    words = doctor.in_words(doctor.findings())
    assert "/dev/ttyUSB0 (USB Serial) may be a rig: `./topple rig status --port /dev/ttyUSB0` asks it." in words
    monkeypatch.setattr(doctor, "find_ports", lambda: [link.Found("/dev/ttyS0", "n/a", False)])
    assert "No rig is plugged in" in doctor.in_words(doctor.findings())


def test_prove_measures_rig_and_firmware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "RATES", (0.02,))
    monkeypatch.setattr(prove, "FIRMWARE_COMMANDS", 5)
    monkeypatch.setattr(prove, "STOPS", 2)
    assert main(["prove", "rig", "--commands", "20", "--workers", "1", "--docs", str(tmp_path)]) == 0
    text = (tmp_path / "rig.md").read_text()
    assert "| software | 2% | 20 |" in text and "| firmware in simavr | 2% | 5 |" in text
    assert "2 stops amid a flood" in text and "bytes of flash" in text
    assert capsys.readouterr().out.strip() in text


def test_the_page_keeps_what_people_wrote(tmp_path: Path) -> None:
    page = tmp_path / "rig.md"
    page.write_text(f"# The rig\n\nby hand\n\n{MEASURED[0]}of yesterday{MEASURED[1]}\n\nmore\n")
    proof = RigProof([emulated_trial(10, 0.02, 1)], None, 1.0)
    write_part(tmp_path, proof)
    text = page.read_text()
    assert "by hand" in text and "more" in text and "of yesterday" not in text
    assert "| software | 2% | 10 |" in text and "no AVR compiler here" in text
    assert proof.is_enough and "holds" in part_text(proof)
    proof.emulated[0].wrong_taps = 1
    assert "**fails**" in part_text(proof)
