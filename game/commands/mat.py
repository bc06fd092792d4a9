"""mat: the printed sheets, at their true size."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.words import _, named
from physics.files import check_ending, check_writable
from physics.tiles import load_set
from vision.opencv import require_cv2

ENDINGS = (".pdf", ".svg", ".png")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of mat."""
    parser.add_argument(
        "--out", type=Path, required=True, metavar=_("FILE"), help=_("where to write it (.pdf, .svg or .png)")
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--charuco", action="store_true", help=_("the board for the lens alone (a PDF has it on its second page)")
    )
    which.add_argument(
        "--tags",
        action="store_true",
        help=_("stickers for the tops of tiles, by which a camera knows which tile it is"),
    )
    parser.add_argument(
        "--set",
        default="evaluation",
        metavar=_("SET"),
        help=_("with --tags: the tiles that the stickers are for (default evaluation)"),
    )


def run(options: argparse.Namespace) -> int:
    """Writes the sheets and says how to print them."""
    check_ending(options.out, ENDINGS)
    check_writable(options.out)
    require_cv2()
    from calibration.sheet import board_sheet, mat_sheet, tag_sheets, write_sheets

    if options.tags:
        write_sheets(options.out, tag_sheets(load_set(options.set)))
        print(_("Written: {file}").format(file=named(options.out)))
        print(_("The stickers are A4. Print them at 100 %, on sticky paper or on paper that you glue on."))
        print(_("Cut along the lines. Each goes on the middle of a tile's top, its sides along the tile's."))
        print(_("A tile that may stand on either end and on either edge needs four."))
        print(_("The printed ruler must be 100 mm long; else the stickers do not fit the tiles."))
        return 0
    is_pdf = options.out.suffix.lower() == ".pdf"
    sheets = [board_sheet()] if options.charuco else [mat_sheet(), board_sheet()] if is_pdf else [mat_sheet()]
    write_sheets(options.out, sheets)
    print(_("Written: {file}").format(file=named(options.out)))
    if not options.charuco:
        print(_("The mat is A3. Print it at 100 %, without fitting it to the page, and lay it flat on the table."))
    if options.charuco or is_pdf:
        print(_("The board for the lens is A4. Glue it to something flat."))
    print(_("Then measure the printed ruler: it must be 100 mm long. If it is not, tell `calibrate table --ruler`."))
    return 0
