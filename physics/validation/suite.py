"""All cases of the validation run together, and the report of what they measured."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from dataclasses import asdict, dataclass
from typing import Any

from physics.engine import engine
from physics.validation import rows, single
from physics.validation.case import ENSEMBLE, Case, Check, Label, measure
from physics.validation.deviations import KNOWN, Deviation

CASES: tuple[Case, ...] = tuple(sorted((*single.CASES, *rows.CASES), key=lambda case: int(case.name[1:])))
LONGEST = ("V14", "V22", "V11", "V19", "V15", "V16", "V17", "V13", "V12", "V3", "V2", "V1")
"""Cases that take long, longest first; one that starts last would keep the others' workers waiting."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class CheckResult:
    """One number of a case against what was measured, at the case's own step and at the ensemble's."""

    label: Label
    unit: str
    expected: float
    tolerance: float  # absolute
    measured: float  # NaN: nothing was
    holds: bool  # within the tolerance, or within the bound of a known deviation
    ensemble_measured: float
    ensemble_within: bool  # the tolerance
    ensemble_holds: bool | None  # within the tolerance times the slack; None: only shown

    @property
    def passed(self) -> bool:
        """Whether it holds wherever it must."""
        return self.holds and self.ensemble_holds is not False


@dataclass(frozen=True)
class CaseResult:
    """A case with its checks."""

    name: str
    title: str
    setup: str
    step: float  # s
    ensemble_slack: float | None  # tolerances that it may be off at the ensemble's step; None: only shown
    checks: tuple[CheckResult, ...]
    errors: tuple[str, ...] = ()  # what went wrong while measuring, in words
    deviation: Deviation | None = None  # what this engine is known not to meet

    @property
    def passed(self) -> bool:
        """Whether every check holds and nothing went wrong."""
        return not self.errors and all(check.passed for check in self.checks)


@dataclass(frozen=True)
class Report:
    """What a validation found."""

    engine: str
    ensemble_step: float  # s
    cases: tuple[CaseResult, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(case.passed for case in self.cases)

    def to_json(self) -> dict[str, Any]:
        """The report as plain values; None where nothing was measured, since JSON has no NaN."""
        return {
            "engine": self.engine,
            "passed": self.passed,
            "ensemble_step": self.ensemble_step,
            "seconds": round(self.seconds, 3),
            "cases": [
                {
                    "name": case.name,
                    "title": case.title,
                    "setup": case.setup,
                    "step": case.step,
                    "ensemble_slack": case.ensemble_slack,
                    "deviation": None if case.deviation is None else asdict(case.deviation),
                    "passed": case.passed,
                    "errors": list(case.errors),
                    "checks": [{name: _plain(value) for name, value in asdict(check).items()} for check in case.checks],
                }
                for case in self.cases
            ],
        }


def _plain(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Found:
    """What one run of a case brought: its numbers, or NaNs and the error in words."""

    values: tuple[float, ...]
    error: str = ""


Job = tuple[str, float]  # a case's name and a step


def run_suite(
    cases: Sequence[Case],
    engine_name: str,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measures the cases at their own step and at the ensemble's; the report has them in the order given.

    With an executor the cases must be among CASES, since they travel by name. A case that breaks down is reported
    as failed. InputError when there is no such engine, MissingError when it is not installed.
    """
    started = time.perf_counter()
    by_name = {case.name: case for case in cases}
    jobs: list[Job] = list(dict.fromkeys((case.name, step) for case in cases for step in (case.step, ENSEMBLE)))
    jobs.sort(key=lambda job: (_rank(job[0]), job[1]))
    found: dict[Job, Found] = {}
    results = _here(by_name, jobs, engine_name) if executor is None else _spread(jobs, engine_name, executor)
    for job, result in results:
        found[job] = result
        if progress is not None:
            progress(len(found), len(jobs), job[0])
    return Report(
        engine_name,
        ENSEMBLE,
        tuple(
            _judged(case, KNOWN.get((engine_name, case.name)), found[case.name, case.step], found[case.name, ENSEMBLE])
            for case in cases
        ),
        time.perf_counter() - started,
    )


def _rank(name: str) -> int:
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def _here(by_name: dict[str, Case], jobs: list[Job], engine_name: str) -> Iterator[tuple[Job, Found]]:
    for job in jobs:
        yield job, measure_safely(by_name[job[0]], engine_name, job[1])


def _spread(jobs: list[Job], engine_name: str, executor: Executor) -> Iterator[tuple[Job, Found]]:
    futures: dict[Future[Found], Job] = {executor.submit(measure_named, *job, engine_name): job for job in jobs}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        for future in futures:
            future.cancel()


def measure_named(name: str, step: float, engine_name: str) -> Found:
    """Runs the case of that name. What a worker does: only plain values travel to it and back."""
    case = next(case for case in CASES if case.name == name)
    return measure_safely(case, engine_name, step)


def measure_safely(case: Case, engine_name: str, step: float) -> Found:
    """Runs a case; where it breaks down, NaN for each check and why. InputError or MissingError as of `engine`."""
    engine(engine_name)  # without it no case can run at all, which is nobody's failure
    try:
        values = measure(case, engine_name, step)
        if len(values) != len(case.checks):
            raise ValueError(f"{len(values)} numbers for {len(case.checks)} checks")
        return Found(values)
    except Exception as error:  # whatever breaks is the case's failure; the others shall still be measured
        why = f"step {step * 1e3:g} ms: {type(error).__name__}: {error}"
        return Found((math.nan,) * len(case.checks), why)


def _judged(case: Case, deviation: Deviation | None, own: Found, ensemble: Found) -> CaseResult:
    slack, bound = case.ensemble_slack, 1.0 if deviation is None else deviation.bound

    def judged(check: Check, measured: float, at_ensemble: float) -> CheckResult:
        return CheckResult(
            check.label,
            check.unit,
            check.expected,
            check.tolerance,
            measured,
            check.holds(measured, bound),
            at_ensemble,
            check.holds(at_ensemble),
            None if slack is None else check.holds(at_ensemble, slack),
        )

    checks = tuple(judged(*each) for each in zip(case.checks, own.values, ensemble.values, strict=True))
    errors = tuple(dict.fromkeys(found.error for found in (own, ensemble) if found.error))
    return CaseResult(case.name, case.title, case.setup, case.step, slack, checks, errors, deviation)
