"""mat: the printed sheets, at their true size."""

from __future__ import annotations

import argparse
from pathlib import Path

from game.words import _
from physics.files import check_ending, check_writable
from vision.render import require_cv2

ENDINGS = (".pdf", ".svg", ".png")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of mat."""
    parser.add_argument(
        "--out", type=Path, required=True, metavar=_("FILE"), help=_("where to write it (.pdf, .svg or .png)")
    )
    parser.add_argument(
        "--charuco", action="store_true", help=_("the board for the lens alone (a PDF has it on its second page)")
    )


def run(options: argparse.Namespace) -> int:
    """Writes the sheets and says how to print them."""
    check_ending(options.out, ENDINGS)
    check_writable(options.out)
    require_cv2()
    from calibration.sheet import board_sheet, mat_sheet, write_sheets

    is_pdf = options.out.suffix.lower() == ".pdf"
    sheets = [board_sheet()] if options.charuco else [mat_sheet(), board_sheet()] if is_pdf else [mat_sheet()]
    write_sheets(options.out, sheets)
    print(_("Written: {file}").format(file=options.out))
    if not options.charuco:
        print(_("The mat is A3. Print it at 100 %, without fitting it to the page, and lay it flat on the table."))
    if options.charuco or is_pdf:
        print(_("The board for the lens is A4. Glue it to something flat."))
    print(_("Then measure the printed ruler: it must be 100 mm long. If it is not, tell `calibrate table --ruler`."))
    return 0
