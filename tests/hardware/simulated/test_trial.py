"""Commands on a line with faults: a slice of `prove rig`."""

from __future__ import annotations

import pytest

from hardware.simulated.emulated import EmulatedPort, VirtualClock
from hardware.simulated.faulty_line import Faults, FaultyPort, evenly
from hardware.simulated.trial import emulated_trial, together


@pytest.mark.parametrize(("rate", "seed"), [(0.0, 1), (0.02, 2), (0.05, 3)])
def test_every_command_is_done_once_or_reported(rate: float, seed: int) -> None:
    trial = emulated_trial(150, rate, seed)
    assert trial.commands == 150 and trial.is_clean
    assert trial.taps_asked - trial.taps_failed <= trial.taps_made <= trial.taps_asked
    assert (trial.failed, trial.link.resent) == (0, 0) if rate == 0 else trial.link.resent > 50
    assert trial.slowest < 8


def test_the_same_seed_is_the_same_trial() -> None:
    assert emulated_trial(20, 0.05, 4) == emulated_trial(20, 0.05, 4)


def test_trials_add_up() -> None:
    trials = [emulated_trial(10, 0.02, seed) for seed in (1, 2)]
    whole = together(trials)
    assert whole.commands == 20
    assert whole.link.resent == sum(trial.link.resent for trial in trials)
    assert whole.slowest == max(trial.slowest for trial in trials)


def passed(faults: Faults, data: bytes) -> bytes:
    """What a line makes of the bytes."""

    class Mirror(EmulatedPort):
        def __post_init__(self) -> None:
            self.heard = b""

        def write(self, data: bytes) -> None:
            self.heard += data

        def read(self, until: float) -> bytes:
            self.clock.sleep_until(until)
            return b""

    mirror = Mirror(VirtualClock())
    port = FaultyPort(mirror, faults, 1)
    port.write(data)
    port.read(10.0)
    return mirror.heard


@pytest.mark.parametrize("rate", [0.01, 0.05])
def test_the_relay_hits_as_many_bytes_as_it_says(rate: float) -> None:
    data = bytes(20_000)
    assert len(passed(Faults(drop=rate), data)) == pytest.approx(20_000 * (1 - rate), rel=0.01)
    assert len(passed(Faults(double=rate), data)) == pytest.approx(20_000 * (1 + rate), rel=0.01)
    assert sum(map(bool, passed(Faults(flip=rate), data))) == pytest.approx(20_000 * rate, rel=0.2)
    assert passed(Faults(delay=rate / 100, split=rate), data) == data
    assert evenly(rate).drop == pytest.approx(rate / 5)
