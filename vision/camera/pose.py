"""How a camera sees the mat: lens and place together, from millimetres to pixels and back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lens import Lens

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sight:
    """A lens and where it is: X_camera = rotation · X_mat + place, mm."""

    lens: Lens
    rotation: Array  # (3, 3)
    place: Array  # (3,) mm

    @property
    def eye(self) -> Array:
        """Where the camera is on the mat's axes, mm."""
        found: Array = -self.rotation.T @ self.place
        return found

    @property
    def matrix(self) -> Array:
        """The 3 × 4 matrix from mat points to pixels, lens distortion left out."""
        found: Array = self.lens.matrix @ np.column_stack([self.rotation, self.place])
        return found

    @property
    def off_vertical(self) -> float:
        """Angle between the way it looks and straight down, degrees."""
        return math.degrees(math.acos(min(1.0, max(-1.0, -float(self.rotation[2, 2])))))

    def undistorted(self) -> Sight:
        """The same without distortion: how the straightened picture sees."""
        return Sight(self.lens.undistorted(), self.rotation, self.place)

    def project(self, points: Array) -> Array:
        """Pixels (…, 2) of mat points (…, 3) in mm."""
        flat = np.asarray(points, float).reshape(-1, 3)
        if self.lens.is_distorted:
            turn, _ = cv2.Rodrigues(self.rotation)
            found, _ = cv2.projectPoints(flat, turn, self.place, self.lens.matrix, np.array(self.lens.dist))
            return np.asarray(found, float).reshape(*np.shape(points)[:-1], 2)
        seen = flat @ self.matrix[:, :3].T + self.matrix[:, 3]
        result: Array = (seen[:, :2] / seen[:, 2:]).reshape(*np.shape(points)[:-1], 2)
        return result

    def to_plane(self, pixels: Array, height: float | Array = 0.0) -> Array:
        """The mat points x, y (…, 2) in mm that these pixels show on the plane of that height, or each of its own."""
        flat = np.asarray(pixels, float).reshape(-1, 2)
        if self.lens.is_distorted:
            flat = straightened(flat, self.lens)
        rays = np.linalg.solve(self.matrix[:, :3], np.column_stack([flat, np.ones(len(flat))]).T).T
        eye = self.eye
        share = (np.ravel(height) - eye[2]) / rays[:, 2]
        result: Array = (eye[:2] + share[:, None] * rays[:, :2]).reshape(*np.shape(pixels)[:-1], 2)
        return result

    def plane_matrix(self) -> Array:
        """The homography from x, y of the mat to pixels, distortion left out."""
        return np.asarray(self.matrix[:, [0, 1, 3]])


def straightened(pixels: Array, lens: Lens) -> Array:
    """Where a lens without distortion would see what is at these pixels (n, 2)."""
    found = cv2.undistortPoints(pixels.reshape(-1, 1, 2), lens.matrix, np.array(lens.dist), P=lens.matrix)
    return np.asarray(found, float).reshape(-1, 2)


def looking_at(
    lens: Lens, target: tuple[float, float], distance: float, off: float, around: float, roll: float
) -> Sight:
    """A camera that looks at a point of the mat: distance in mm, angle off vertical, azimuth and roll in rad."""
    away = np.array([math.sin(off) * math.cos(around), math.sin(off) * math.sin(around), math.cos(off)])
    forward = -away
    side = np.array([-math.sin(around), math.cos(around), 0.0])
    down = np.cross(forward, side)
    cos, sin = math.cos(roll), math.sin(roll)
    rotation = np.stack([cos * side + sin * down, cos * down - sin * side, forward])
    eye = np.array([*target, 0.0]) + distance * away
    return Sight(lens, rotation, -rotation @ eye)
