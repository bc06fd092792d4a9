"""The languages: every text is translated, the files are up to date, and people are spoken to in theirs."""

from __future__ import annotations

import ast
import gettext
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from types import ModuleType

import pytest

from game import words
from game.commands import HELPS
from game.words import _, plural, say, wanted_language
from physics.errors import InputError, SceneError

pytest.importorskip("babel")
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[2]
VARIABLES = ("TOPPLE_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
SAME_IN_ALL = {"°", "{where}: {reason}", "r", "s/h, μ {friction}", "V/√k, k {scale}", "m g"}
FOREIGN = {"uk": "ыэъё", "ru": "іїєґ"}
PLURALS = {
    "uk": {1: "плитка", 2: "плитки", 5: "плиток", 11: "плиток", 21: "плитка", 22: "плитки", 25: "плиток"},
    "ru": {1: "костяшка", 2: "костяшки", 5: "костяшек", 11: "костяшек", 21: "костяшка", 22: "костяшки", 25: "костяшек"},
}
both_languages = pytest.mark.parametrize("language", ["uk", "ru"])


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nobody's language in the environment, and afterwards everything as it was."""
    domain = gettext.textdomain()
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # remembered, whatever the test does to it
    yield
    words.use("en")
    gettext.textdomain(domain)


@cache
def update() -> ModuleType:
    """The script that keeps the catalogues; its folder is no package."""
    spec = importlib.util.spec_from_file_location("locale_update", ROOT / "game" / "locale" / "update.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def originals(catalogue: Catalog) -> set[tuple[str, ...]]:
    return {forms(message.id) for message in catalogue if message.id}


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (text or "",) if isinstance(text, str | None) else tuple(text)


@cache
def code() -> frozenset[tuple[str, ...]]:
    return frozenset(originals(update().template()))


def kept(language: str) -> Catalog:
    with update().po_file(language).open("rb") as file:
        return read_po(file, locale=language)


def translations(language: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every text with its plural if it has one, and the forms of its translation."""
    for message in kept(language):
        if message.id:
            yield forms(message.id), forms(message.string)


def places(text: str) -> set[tuple[str | None, ...]]:
    """What is filled in: {name:format} or %(name)s."""
    if "{" in text:
        return {part[1:] for part in Formatter().parse(text) if part[1] is not None}
    return {(found,) for found in re.findall(r"%(?:\(\w+\))?[a-z]", text)}


# The catalogues


def test_there_is_a_catalogue_for_every_language() -> None:
    assert set(words.LANGUAGES) == {"en", *update().LANGUAGES}
    assert len(code()) > 100


@both_languages
def test_every_text_is_translated(language: str) -> None:
    kept_texts = dict(translations(language))
    assert code() - kept_texts.keys() == set()
    assert [text for text, said in kept_texts.items() if not all(form.strip() for form in said)] == []
    assert {len(said) for text, said in kept_texts.items() if len(text) == 2} == {3}
    assert not any(message.fuzzy for message in kept(language) if message.id)


@both_languages
def test_nothing_is_kept_that_nobody_says(language: str) -> None:
    assert originals(kept(language)) - code() == set()
    assert not kept(language).obsolete


@both_languages
def test_the_files_are_what_the_script_writes(language: str) -> None:
    path = update().po_file(language)
    assert path.read_bytes() == update().po_text(update().updated(language))
    with path.with_suffix(".mo").open("rb") as file:
        compiled = {forms(message.id): forms(message.string) for message in read_mo(file) if message.id}
    assert compiled == dict(translations(language))


def test_no_text_hides_from_the_script() -> None:
    """It does not see what is inside of f-strings, and a text that is one has no translation."""
    found = {form for text in code() for form in text}
    hidden = []
    for package in ("physics", "calibration", "vision", "hardware", "game"):
        for path in (ROOT / package).rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name | ast.Attribute):
                    continue
                name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr
                for position in (update().KEYWORDS[name] or (1,)) if name in update().KEYWORDS else ():
                    text = call.args[position - 1] if len(call.args) >= position else None
                    if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and text.value not in found):
                        hidden.append(f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(text)}")
    assert hidden == []


@both_languages
def test_translations_fill_in_the_same(language: str) -> None:
    for text, said in translations(language):
        wanted = set().union(*map(places, text))
        assert [form for form in said if places(form) != wanted] == [], text


@both_languages
def test_translations_are_in_their_language(language: str) -> None:
    for text, said in translations(language):
        for form in said:
            assert form not in text or form in SAME_IN_ALL
            assert not set(form.lower()) & set(FOREIGN[language]), form
            # A Latin letter that looks like a Cyrillic one.
            assert not re.search(r"[a-z][а-яёіїєґ]|[а-яёіїєґ][a-z]", form, re.IGNORECASE), form
            assert form[:1].isspace() == text[0][:1].isspace() and form[-1:].isspace() == text[0][-1:].isspace(), form
            assert form.endswith(".") == text[0].endswith("."), form


@both_languages
def test_translations_have_decimal_commas(language: str) -> None:
    for _text, said in translations(language):
        for form in said:
            bare = re.sub(r"Python 3\.\d+|at -12\.5", "", form)  # a version; what can be typed
            assert not re.search(r"\d\.\d", bare), form


# Speaking


@both_languages
def test_plural_forms(language: str) -> None:
    words.use(language)
    for count, word in PLURALS[language].items():
        assert plural("{count} tile", "{count} tiles", count) == f"{count} {word}"
    words.use("en")
    assert [plural("{count} tile", "{count} tiles", count) for count in (1, 21)] == ["1 tile", "21 tiles"]


def test_errors_are_said_with_their_reasons() -> None:
    reason = SceneError(
        "The set {set} has no tile {value}; it has {values}.", set="evaluation", value=99, values="1–11"
    )
    error = SceneError("{where}: {reason}", where="row.toml:3", reason=reason)
    words.use("uk")
    assert say(error) == "row.toml:3: У наборі evaluation немає плитки 99; є 1–11."
    assert say(InputError("There is no folder {folder}.", folder="docs")) == "Немає папки docs."
    words.use("ru")
    assert say(error) == "row.toml:3: В наборе evaluation нет костяшки 99; есть 1–11."
    assert say(InputError("There is no folder {folder}.", folder="docs")) == "Нет папки docs."
    words.use("en")
    assert say(error) == str(error) == "row.toml:3: The set evaluation has no tile 99; it has 1–11."


def test_an_unknown_language_is_english() -> None:
    words.use("uk")
    assert _("yes") == "так"
    words.use("tlh")
    assert _("yes") == "yes"


def test_the_first_variable_that_is_set_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wanted_language() == "en"
    for name in reversed(VARIABLES):
        for wish, language in (("ru", "ru"), ("C", "en"), ("uk_UA.UTF-8", "uk")):
            monkeypatch.setenv(name, wish)
            assert wanted_language() == language, name


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("uk", "uk"),
        ("ru_RU.UTF-8", "ru"),
        ("uk_UA:ru:en", "uk"),
        ("en_GB", "en"),
        ("C", "en"),
        ("C.UTF-8", "en"),
        ("POSIX", "en"),
        ("de_DE.UTF-8", "en"),
        ("ukrainian", "en"),
    ],
)
def test_wishes(monkeypatch: pytest.MonkeyPatch, wish: str, language: str) -> None:
    monkeypatch.setenv("LANGUAGE", wish)
    assert wanted_language() == language


# Real processes


def topple(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "game.cli", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "100", **variables},
        timeout=300,
        check=False,
    )


def english(text: str, *names: str) -> list[str]:
    """Latin words in the text other than those names, options and their choices."""
    bare = re.sub(r"--?[a-z][a-z-]*|\{[^}]*\}", " ", text)
    return [word for word in re.findall(r"[A-Za-z]{2,}", bare) if word not in names]


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "uk",
            (
                "5 плиток, легкий дотик пальцем до плитки 4",
                "Упаде не весь ряд: шанс, що впадуть усі плитки, 0 %.",
                "Найслабше місце: між 4 і 5",
            ),
        ),
        (
            "ru",
            (
                "5 костяшек, лёгкое касание пальцем костяшки 4",
                "Упадёт не весь ряд: шанс, что упадут все костяшки, 0 %.",
                "между 4 и 5",
            ),
        ),
    ],
)
def test_a_forecast(language: str, sentences: tuple[str, ...]) -> None:
    done = topple("predict", ROOT / "examples" / "packed.toml", "--lang", language, "--no-hint")
    assert done.returncode == 0
    for sentence in sentences:
        assert sentence in done.stdout
    assert english(done.stdout, "packed", "toml", "bullet") == []
    # In the table the chances stand below one another.
    assert len({line.index("░" * 20) for line in done.stdout.splitlines() if re.match(r" +[5-8] ", line)}) == 1


@pytest.mark.parametrize(
    ("language", "heads"),
    [
        ("uk", ("використання: topple", "аргументи:", "параметри:", "показати цю довідку й вийти")),
        ("ru", ("использование: topple", "аргументы:", "параметры:", "показать эту справку и выйти")),
    ],
)
def test_help(language: str, heads: tuple[str, ...]) -> None:
    names = (
        "topple",
        "TOML",
        "JSON",
        "examples",
        "png",
        "svg",
        "pdf",
        "bullet",
        "mujoco",
        "Dask",
        "tcp",
        "host",
        "MJPEG",
        "synthetic",
        "evaluation",
        *("is", "at"),  # of corrections
        *HELPS,
    )
    for done in (topple("--help", TOPPLE_LANG=language), topple("predict", "--help", "--lang", language)):
        assert done.returncode == 0 and done.stderr == ""
        for head in heads:
            assert head in done.stdout
        told = re.sub(r"(?m)^ +\./topple .*$", "", done.stdout)  # command lines are the same in every language
        assert english(told, *names) == []


@pytest.mark.parametrize(
    ("language", "sentence", "use"),
    [
        (
            "uk",
            "Немає файлу lost.toml.",
            "topple simulate: бракує аргументів: РЯД, --out (див. topple simulate --help).",
        ),
        (
            "ru",
            "Нет файла lost.toml.",
            "topple simulate: не хватает аргументов: РЯД, --out (см. topple simulate --help).",
        ),
    ],
)
def test_errors(language: str, sentence: str, use: str) -> None:
    for arguments, said in (
        (("predict", "lost.toml", "--lang", language), sentence),
        (("simulate", f"--lang={language}"), use),
    ):
        done = topple(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said + "\n")
