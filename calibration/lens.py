"""The lens of a camera: what a camera file says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Lens:
    """Size of the pictures, focal lengths, centre and distortion, all in px; pixel centres at whole numbers."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    dist: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)  # k1 k2 p1 p2 k3

    @property
    def matrix(self) -> Array:
        """The camera matrix."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])

    @property
    def is_distorted(self) -> bool:
        """Whether the lens distorts at all."""
        return any(self.dist)

    def undistorted(self) -> Lens:
        """The same lens without distortion."""
        return Lens(self.width, self.height, self.fx, self.fy, self.cx, self.cy)

    def scaled(self, width: int, height: int) -> Lens:
        """The same lens for pictures of the same view at another resolution."""
        across, down = width / self.width, height / self.height
        return Lens(
            width,
            height,
            self.fx * across,
            self.fy * down,
            (self.cx + 0.5) * across - 0.5,
            (self.cy + 0.5) * down - 0.5,
            self.dist,
        )
