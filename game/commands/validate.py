"""validate: is the simulation right? Every case with a known answer, measured."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from game.commands.options import engine_option, json_option, workers_option
from game.words import N_, _, figures, number, plural
from game.workers.pool import worker_pool
from game.workers.progress import Progress, bar
from physics.engines import BOTH, installed_engines
from physics.errors import InputError
from physics.validation.case import Case
from physics.validation.suite import CASES, CheckResult, Report, run_suite

UNITS = (N_("m/s"), N_("rad/s"), N_("ms"), N_("m g"))
"""Units of what is measured, beside those of `game.words`."""
LABEL = 29
"""Columns for what is measured, at least."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of validate."""
    parser.add_argument("cases", nargs="*", metavar=_("CASE"), help=_("only these cases, such as V12 (all)"))
    json_option(parser)
    parser.add_argument("--docs", type=Path, metavar=_("FOLDER"), help=_("write validation.md with plots there"))
    engine_option(parser)
    workers_option(parser)


def run(options: argparse.Namespace) -> int:
    """Prints the table; 1 when a case fails."""
    cases = CASES
    if options.cases:
        cases = tuple(map(_named, options.cases))
    if options.docs is not None:
        if options.cases:
            raise InputError("--docs writes the page of all cases; leave out the names of single ones.")
        if not options.docs.is_dir():
            raise InputError("There is no folder {folder}.", folder=options.docs)
    engines = installed_engines() if options.engine in (None, BOTH) else (options.engine,)
    reports = [_measured(cases, name, options.workers) for name in engines or ("bullet",)]
    if options.docs is not None:
        from game.proof.validation import write_page

        write_page(options.docs, reports[0], reports[1:])
    if options.json:
        print(json.dumps(as_json(reports)))
    else:
        print("\n\n".join(table(report) for report in reports))
    return 0 if all(report.passed for report in reports) else 1


def _named(name: str) -> Case:
    """The case of that name, however it is spelt: V1, v1 or V01; InputError when there is none."""
    known = {case.name: case for case in CASES}
    case = known.get(re.sub(r"(?<=V)0+(?=\d)", "", name.upper()))
    if case is None:
        raise InputError("There is no case {name}; there are {known}.", name=name, known=", ".join(known))
    return case


def as_json(reports: Sequence[Report]) -> dict[str, Any]:
    """All reports in one: every case says which engine was measured."""
    cases = [{"engine": report.engine, **case} for report in reports for case in report.to_json()["cases"]]
    return {
        "passed": all(report.passed for report in reports),
        "ensemble_step": reports[0].ensemble_step,
        "seconds": round(sum(report.seconds for report in reports), 3),
        "cases": cases,
    }


def _measured(cases: Sequence[Case], engine_name: str, workers: int | None) -> Report:
    with worker_pool(workers) as executor, Progress() as progress:
        return run_suite(
            cases,
            engine_name,
            executor,
            lambda done, total, name: progress.show(
                _("{bar} {engine}: {done} of {total} measured, last {name}").format(
                    bar=bar(done / total), engine=engine_name, done=done, total=total, name=name
                )
            ),
        )


def table(report: Report) -> str:
    """The report as people read it in a terminal: a line per number, and the same at the ensemble's step."""
    rows: list[str] = []
    wide = max([LABEL, *(len(_label(check)) + 1 for case in report.cases for check in case.checks)])
    for case in report.cases:
        at = _("at {step} ms").format(step=number(case.step * 1e3))
        rows.append(f"{case.name:<4} {_(case.title)} ({_(case.setup)}; {at})")
        rows += [_row(check, wide, case.deviation is not None) for check in case.checks]
        if case.deviation is not None:
            known = _("known deviation, up to {bound} tolerances: {reason}")
            rows.append("     " + known.format(bound=number(case.deviation.bound), reason=_(case.deviation.reason)))
        rows += [f"     {error}" for error in case.errors]
    failed = [case.name for case in report.cases if not case.passed]
    summary = (
        _("Failed: {names}.").format(names=", ".join(failed))
        if failed
        else plural("{count} case passed.", "All {count} cases passed.", len(report.cases))
    )
    expected, measured, tolerance, verdict = _("expected"), _("measured"), _("tolerance"), _("verdict")
    ensemble = _("at {step} ms").format(step=number(report.ensemble_step * 1e3))
    head = f"{expected:>{wide + 14}}  {measured:>9}  {tolerance:>9}  {verdict:<7} {ensemble}"
    engine = _("Engine {engine}, {seconds} s.").format(engine=report.engine, seconds=f"{report.seconds:.0f}")
    return "\n".join([head, *rows, "", f"{summary} {engine}"])


def _label(check: CheckResult) -> str:
    """What is measured, and its unit."""
    label = _(check.label.sentence).format(**{name: figures(str(each)) for name, each in check.label.fields.items()})
    return f"{label} [{_(check.unit)}]" if check.unit not in ("", "verdict") else label


def _row(check: CheckResult, wide: int, known: bool) -> str:
    if check.unit == "verdict":
        words = [_("yes") if value == 1 else _("no") for value in (check.expected, check.measured)]
        numbers = f"{words[0]:>9}  {words[1]:>9}  {'':>9}"
        ensemble = _("yes") if check.ensemble_measured == 1 else _("no")
    else:
        numbers = f"{check.expected:>9.4g}  {check.measured:>9.4g}  {'±' + format(check.tolerance, '.2g'):>9}"
        ensemble = f"{check.ensemble_measured:.4g}"
    within = abs(check.measured - check.expected) <= check.tolerance
    verdict = (_("ok") if within or not known else _("known")) if check.holds else _("FAILS")
    if check.ensemble_holds is False:
        ensemble += " " + _("FAILS")
    elif not check.ensemble_within:
        ensemble += " " + _("(outside)")
    return f"     {_label(check):<{wide}}{figures(numbers)}  {verdict:<7} {figures(ensemble)}"
