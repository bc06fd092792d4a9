"""What the pages name is there: files, folders, modules, links, commands, options; and their examples are right."""

from __future__ import annotations

import argparse
import json
import re
import shlex
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from game.arguments import EVERY, parser
from game.commands import HELPS
from game.config import read_config
from physics.scene import read_line_file

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "hardware" / "firmware" / "PROTOCOL.md"])
OURS = ("physics", "vision", "hardware", "game", "calibration", "benchmarks", "tests", "docs", "examples")
PLACEHOLDERS = {"COMMAND": "predict", "SHAPE": "arc", "SIZE": "1"}
OF_OTHERS = {"--nthreads"}  # options of programs that are not ours


def names(pages: list[Path]) -> list[str]:
    return [page.relative_to(ROOT).as_posix() for page in pages]


def fences(text: str, language: str) -> list[str]:
    """The blocks of that language, freed of their indentation."""
    blocks = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in blocks]


def in_backticks(text: str) -> list[str]:
    """What stands in backticks in the running text, on one line after all."""
    prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]


# Files, folders, modules and links


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_files_and_modules_are_there(page: Path) -> None:
    for code in in_backticks(page.read_text(encoding="utf-8")):
        for word in code.split():
            if re.fullmatch(rf"({'|'.join(OURS)})\.[\w.]*\w", word):
                assert is_in_code(word), word
            elif re.fullmatch(r"[\w.-]+(/[\w.*-]*)+", word) and is_ours(word):
                assert any(list(place.glob(word)) for place in (ROOT, page.parent)), word


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_programs_of_python_are_there(page: Path) -> None:
    for name in re.findall(r"python -m ([\w.]+)", page.read_text(encoding="utf-8")):
        assert name.split(".")[0] not in OURS or is_in_code(name), name


def is_ours(path: str) -> bool:
    """Whether it is a path in this repository, rather than one on somebody's machine."""
    return path.split("/")[0] in OURS or path.endswith((".py", ".c", ".h"))


def is_in_code(name: str) -> bool:
    """Whether there is that module, or in one that class or function."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:size])
        file = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
        if file.is_file():
            source = file.read_text(encoding="utf-8")
            return all(re.search(rf"^\s*(class|def) {part}\b|^{part}\b", source, re.MULTILINE) for part in parts[size:])
    return False


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _sign, heading = target.partition("#")
        if "://" in target:
            continue
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not heading or heading in headings(linked), target


def headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    lines = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


def test_the_front_page_leads_to_every_page_and_pages_to_every_picture() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    everything = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for file in sorted((ROOT / "docs").iterdir()):
        if file.suffix == ".md":
            assert f"(docs/{file.name})" in front, file.name
        else:
            assert re.search(rf"\]\((docs/)?{re.escape(file.name)}\)", everything), file.name


def test_the_front_page_shows_two_commands_and_ten() -> None:
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [len(block.splitlines()) for block in fences(front, "sh")] == [2, 10]


# Commands and options


def typed_commands(text: str) -> list[str]:
    """The command lines to be typed as they are: those in blocks and in indented lines."""
    lines = [line for block in fences(text, r"\w*") for line in block.splitlines()]
    lines += re.findall(r"^ {4}(?=\./topple)(.*)$", text, re.MULTILINE)
    parts = [part.strip().removeprefix("$ ") for line in lines for part in re.split(r" # | && ", line)]
    return [part for part in parts if part.startswith(("./topple ", "python topple "))]


def named_commands(text: str) -> list[str]:
    """The commands that the running text names, perhaps without all they need."""
    return [code for code in in_backticks(text) if re.match(r"\./topple [a-zA-Z]", code)]


def arguments(command: str) -> Iterator[list[str]]:
    """What the command line takes, each of the alternatives in turn."""
    words = shlex.split(command.partition(" > ")[0].split("topple", 1)[1])
    words = [word.rstrip("…") for word in words if word != "…"]
    choices = [[PLACEHOLDERS.get(each, each) for each in word.split("|")] for word in words]
    for chosen in product(*choices):
        yield list(chosen)


def complaint(given: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the program's own parser has against them; "" when nothing."""
    if given[0] not in HELPS:
        return f"no command {given[0]}"
    try:
        parser(given[0], None, given).parse_args(given)
    except SystemExit as end:
        return "" if end.code == 0 else capsys.readouterr().err
    return ""


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_commands_can_be_typed(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = page.read_text(encoding="utf-8")
    for command in typed_commands(text):
        for given in arguments(command):
            assert complaint(given, capsys) == "", command
            for word in given:
                assert not word.startswith("examples/") or (ROOT / word).is_file(), command
    for command in named_commands(text):
        for given in arguments(command):
            found = complaint(given, capsys)
            assert not found or "arguments are required" in found, f"{command}: {found}"


def options_in(text: str) -> set[str]:
    """The long options that a text names."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def options_of(program: argparse.ArgumentParser) -> set[str]:
    """All options of a parser and of those below it."""
    found = set()
    for action in program._actions:
        found |= set(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for below in action.choices.values() for option in options_of(below)}
    return found


def test_options_that_the_pages_name_are_there() -> None:
    teaching = (ROOT / "vision" / "training" / "__main__.py").read_text(encoding="utf-8")
    known = OF_OTHERS | options_in(teaching) | options_of(parser(EVERY))
    for page in PAGES:
        for code in in_backticks(page.read_text(encoding="utf-8")):
            assert options_in(code) <= known, f"{page.name}: {code}"


# Examples


def test_line_files_are_read(tmp_path: Path) -> None:
    [example] = fences((ROOT / "docs" / "predict.md").read_text(encoding="utf-8"), "toml")
    (tmp_path / "line.toml").write_text(example, encoding="utf-8")
    scene, _noise = read_line_file(tmp_path / "line.toml")
    assert len(scene.line.placements) == 1


def test_a_person_s_own_defaults_are_read(tmp_path: Path) -> None:
    [example] = fences((ROOT / "docs" / "command-line.md").read_text(encoding="utf-8"), "toml")
    (tmp_path / "config.toml").write_text(example, encoding="utf-8")
    config = read_config(tmp_path / "config.toml")
    for name in HELPS:
        parser(name, config, [name])


def test_json_is_json() -> None:
    for page in PAGES:
        for example in fences(page.read_text(encoding="utf-8"), "json"):
            json.loads(example)


@pytest.mark.slow
def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    [example] = fences((ROOT / "docs" / "predict.md").read_text(encoding="utf-8"), "python")
    monkeypatch.chdir(ROOT)
    exec(compile(example, "predict.md", "exec"), {})
    assert 0 < float(capsys.readouterr().out.split()[0]) < 1
