"""The camera's place by a single marker: with a lens it does, unless that leaves too much open."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from calibration.board import MAT
from vision.camera.markers import find_markers
from vision.camera.mat import POSE_TRUST, find_mat
from vision.camera.picture_files import PictureError
from vision.drawing.blocks import blocks_of
from vision.drawing.photograph import photograph
from vision.drawing.scenes import Setup, random_setup

PLACES = np.array([(x, y, 0.0) for x in (-120.0, 0.0, 120.0) for y in (-70.0, 0.0, 70.0)])
SHOWN = 2  # the marker that is left


def with_one_marker(setup: Setup) -> npt.NDArray[np.uint8]:
    """The empty mat with three of its markers painted over."""
    image = photograph([], setup.sight, setup.appearance, setup.seed).image.copy()
    for marker in MAT.markers:
        spots = setup.sight.project(marker.corners)
        low, high = np.floor(spots.min(axis=0)).astype(int), np.ceil(spots.max(axis=0)).astype(int)
        if marker.id != SHOWN:
            image[max(0, low[1]) : high[1], max(0, low[0]) : high[0]] = 90
    return image


@pytest.mark.parametrize("off", [5.0, 40.0])
def test_one_marker_is_enough_for_a_known_lens(off: float) -> None:
    setup = random_setup(5, 3, size=(1280, 960), distance=550.0, off=(off, off + 1))
    view = find_mat(with_one_marker(setup), setup.sight.lens)
    assert view.seen == (SHOWN,)
    away = view.sight.to_plane(setup.sight.project(PLACES), PLACES[:, 2]) - PLACES[:, :2]
    stated = np.sqrt(np.diagonal(view.place_doubt(PLACES), axis1=1, axis2=2))
    assert np.abs(away).max() < 1.5
    assert (np.abs(away) < 4 * stated).all()
    assert stated.max() < 2 * POSE_TRUST.max_error_alone


def test_one_marker_is_not_enough_without_a_lens_or_when_it_is_small() -> None:
    near = random_setup(5, 3, size=(960, 720), distance=550.0, off=(20.0, 21.0))
    with pytest.raises(PictureError, match="Only marker 2 of the mat"):
        find_mat(with_one_marker(near), None)
    far = random_setup(5, 3, size=(640, 480), distance=1000.0, off=(0.0, 1.0))
    with pytest.raises(PictureError, match=r"marker 2 of .* too small to say|do not show where the camera is"):
        find_mat(with_one_marker(far), far.sight.lens)


def test_a_marker_of_which_a_tile_hides_an_edge_does_not_mislead() -> None:
    setup = random_setup(33, 10, distance=450.0)
    image = photograph(blocks_of(setup.scene), setup.sight, setup.appearance, setup.seed).image
    found = {marker.id: corners for marker, corners in find_markers(image).items()}
    true = {marker.id: setup.sight.project(marker.corners) for marker in MAT.markers}
    assert max(np.abs(corners - true[marker]).max() for marker, corners in found.items()) > 5
    view = find_mat(image, setup.sight.lens)
    away = view.sight.to_plane(setup.sight.project(PLACES), PLACES[:, 2]) - PLACES[:, :2]
    assert np.abs(away).max() < 0.3
    # Of two markers and an unknown lens too little is left when an edge is not counted.
    with pytest.raises(PictureError, match="px from where"):
        find_mat(image, None)
