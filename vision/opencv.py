"""Whether OpenCV is there, without which no picture is read or made."""

from __future__ import annotations

from importlib.util import find_spec

from physics.errors import MissingError

HAS_CV2 = find_spec("cv2") is not None


def require_cv2() -> None:
    """MissingError when OpenCV is not installed."""
    if not HAS_CV2:
        raise MissingError(
            "Pictures need {package}, which is not installed (extra {extra}).", package="opencv-python", extra="vision"
        )
