"""The firmware, compiled once for all tests, and running in simavr."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hardware.simulated.simavr import Built, Simulator, SteppedPort, build


@pytest.fixture(scope="session")
def built() -> Built:
    return build()


@pytest.fixture
def simulator(built: Built) -> Iterator[Simulator]:
    with Simulator(built) as running:
        yield running


@pytest.fixture
def port(simulator: Simulator) -> Iterator[SteppedPort]:
    port = SteppedPort(simulator)
    yield port
    port.close()
