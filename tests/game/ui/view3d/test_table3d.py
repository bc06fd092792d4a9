import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).with_name("table3d_script.py")
ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def seen() -> Any:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], cwd=ROOT, env=_environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}


def test_a_tile_appears_where_it_is_projected(seen: Any) -> None:
    left, right, low, high = seen["changed"]
    xs, ys = [x + 40 for x, _y in seen["corners"]], [y + 30 for _x, y in seen["corners"]]
    # The shadow goes on to the right and to the eye; on the other sides the tile itself is the border.
    assert left == pytest.approx(min(xs), abs=6)
    assert high == pytest.approx(max(ys), abs=3)
    assert right >= max(xs) - 3 and low <= min(ys) + 3
    assert sum(seen["face"][1]) > sum(seen["face"][0]) * 1.1  # pale wood on a dark table


def test_a_shadow_is_darker_than_the_lit_table(seen: Any) -> None:
    lit, dark = map(sum, seen["shadow"])
    assert dark < 0.8 * lit


def test_nothing_outside_the_viewport_is_touched(seen: Any) -> None:
    assert seen["outside"] == [1, 2, 250, 1, 2, 250]


def test_the_picture_is_the_same_again(seen: Any) -> None:
    assert seen["again"]


def test_what_moves_may_be_coarser_than_what_rests(seen: Any) -> None:
    coarse, fine, same, same_again = seen["rested"]
    assert coarse == pytest.approx(fine, abs=25)
    assert not same and same_again


def test_without_a_card_fewer_pixels_are_painted(seen: Any) -> None:
    is_software = "llvmpipe" in seen["renderer"]
    assert (seen["detail"] < 1) == is_software
    face, same, clean = seen["capped"]
    assert face == pytest.approx(seen["rested"][1], abs=25)
    assert not same and clean


def test_a_screen_with_two_pixels_to_a_point_shows_the_same(seen: Any) -> None:
    assert seen["doubled"]


def test_letters_are_known_by_their_place_where_the_layout_has_others(seen: Any) -> None:
    assert seen["keys"]["latin"] == ["v", "ctrl+z"]
    if sys.platform == "linux":
        assert seen["keys"]["places"] == ["v", "h", "z", "s", "f", "[", ",", ""]


def test_tints_are_told_apart(seen: Any) -> None:
    none, bad = seen["none"], seen["bad"]
    assert bad[0] > 2 * bad[1] and bad[0] > 2 * bad[2]
    assert sum(seen["hover"]) > sum(none)
    assert seen["chosen"] != none and seen["weak"] != none
    table = seen["face"][0]
    # One sees the table through a ghost.
    assert abs(sum(seen["ghost"]) - sum(table)) < abs(sum(none) - sum(table))


def test_marks_and_cloth_have_their_colours(seen: Any) -> None:
    assert seen["mark"][1] > 150 and seen["mark"][0] < 60
    red, green, _blue = seen["felt"]
    assert green > 1.2 * red


def test_high_contrast_is_high(seen: Any) -> None:
    tile, table = map(sum, seen["plain"])
    assert tile > 3 * table


def test_arcade_draws_as_before(seen: Any) -> None:
    opaque, half, free = seen["flat"]
    assert opaque == [200, 100, 50]
    assert half == pytest.approx([100, 51, 150], abs=2)
    assert free != [200, 100, 50]
