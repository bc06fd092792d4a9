"""The part of docs/rig.md that is measured: what becomes of commands on a bad line, stops in a flood, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from game.proof.page import Marks, read_page, with_part, write_text
from hardware.simulated.simavr import FULL_FLASH, FULL_RAM, Built
from hardware.simulated.trial import Stops, Trial

PAGE = "rig.md"
MEASURED: Marks = ("<!-- measured -->", "<!-- /measured -->")
STOP_LIMIT = 0.05  # s


@dataclass(frozen=True)
class FirmwareProof:
    """What was measured of the compiled firmware in simavr."""

    built: Built
    trials: Sequence[Trial]
    stops: Stops
    deafness: float  # s, the longest time without interrupts


@dataclass(frozen=True)
class RigProof:
    """All that `prove rig` measures."""

    emulated: Sequence[Trial]
    firmware: FirmwareProof | None  # None: there is no compiler for it here
    seconds: float

    @property
    def is_enough(self) -> bool:
        """Whether no command was carried out twice, no tap was made unasked, and every stop came in time."""
        trials = [*self.emulated, *(self.firmware.trials if self.firmware else [])]
        in_time = self.firmware is None or self.firmware.stops.slowest <= STOP_LIMIT
        return all(trial.is_clean for trial in trials) and in_time


HEADINGS = (
    "rig", "bytes hit", "commands", "reported as failed", "taps asked", "taps failed", "taps made",
    "taps unasked or lost", "carried out twice", "asked again", "damaged frames", "longest command",
)  # fmt: skip


def part_text(found: RigProof) -> str:
    """What was measured, in Markdown, English only."""
    lines = [
        "",
        "Written by `./topple prove rig --docs docs`. A relay between host and rig drops, flips, doubles, delays and",
        "splits that share of all bytes, evenly, in both directions, and now and then sends an old frame again. A",
        "command is a call such as *tap*, *tilt*, *read* or *home*: several questions, each sent again until it is",
        "answered, for a second at most.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|---" * len(HEADINGS) + "|",
    ]
    lines += [_row("software", trial, str(trial.repeated)) for trial in found.emulated]
    lines += _firmware_lines(found.firmware)
    verdict = "holds" if found.is_enough else "**fails**"
    return "\n".join(
        [
            *lines,
            "",
            "Asked: every command carried out exactly once or reported as failed, no tap unasked, every stop in time:",
            f"{verdict}. All of it took {found.seconds:.0f} s; simulated time does not wait for the clock.",
            "",
        ]
    )


def _firmware_lines(firmware: FirmwareProof | None) -> list[str]:
    if firmware is None:
        return ["", "There was no AVR compiler here: the firmware itself was not measured."]
    arm, plate, built = firmware.stops.arm, firmware.stops.plate, firmware.built
    return [
        *(_row("firmware in simavr", trial, "–") for trial in firmware.trials),
        "",
        "Taps made are counted by the arm's servo pulses; what was carried out twice, by the software rig's journal.",
        "A tap that failed was made once or not at all.",
        "",
        f"**Stop**: {len(arm)} stops amid a flood of questions and rubbish that fills the line, while the arm tapped",
        "and the plate tilted. From the stop's last bit to the end of the first pulse that sends the servo back: arm",
        f"{_ms(sum(arm) / len(arm))} in the mean and {_ms(max(arm))} at most, plate {_ms(sum(plate) / len(plate))} and "
        f"{_ms(max(plate))}; asked are {_ms(STOP_LIMIT)}.",
        "A servo is told every 20 ms where to go, which is most of it.",
        "",
        f"**Size**: {built.flash} of {FULL_FLASH} bytes of flash, {built.ram} of {FULL_RAM} bytes of RAM, all static.",
        f"**Interrupts** were never off for longer than {firmware.deafness * 1e6:.1f} µs; a byte takes 87 µs.",
    ]


def _row(name: str, trial: Trial, repeated: str) -> str:
    return (
        f"| {name} | {trial.rate:.0%} | {trial.commands} | {trial.failed} | {trial.taps_asked} | {trial.taps_failed} | "
        f"{trial.taps_made} | {trial.wrong_taps + trial.missing} | {repeated} | {trial.link.resent} | "
        f"{trial.link.bad_frames} | {trial.slowest:.1f} s |"
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def write_part(folder: Path, found: RigProof) -> None:
    """Writes the measured part of rig.md; OutputError when it cannot be written."""
    page = folder / PAGE
    write_text(page, with_part(read_page(page), part_text(found), MEASURED))
