"""What the net is taught: crops of examples, turned and recoloured, and what its answers cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from vision.reader.network import NETWORK_INPUT
from vision.training.labels import Example
from vision.training.net import Net


@dataclass(frozen=True, slots=True)
class Crops:
    """Which part of an example is shown in a step."""

    side: int = 192  # px
    near_tiles: float = 0.9  # share of crops that are around some tile
    jitter: float = 50.0  # px from its foot to the middle of the crop
    beyond: int = 32  # px that a crop may reach beyond the picture
    noises: tuple[float, ...] = (0.0, 0.01, 0.03, 0.06)  # of the light's logarithm, one of them for each crop


CROPS = Crops()


@dataclass(frozen=True, slots=True)
class CostWeights:
    """What each kind of mistake costs."""

    kinds: tuple[float, ...] = (1.0, 2.0, 1.5, 1.0)  # by kind of pixel: a top has few pixels
    small: float = 10.0  # times a vote's weight: a small tile has fewer pixels still, so each counts more
    max_small: float = 3.0  # at most so many times
    for_kinds: float = 3.0  # beside the turn and size of a vote
    for_votes: float = 0.3  # likewise


COST_WEIGHTS = CostWeights()


Floats = npt.NDArray[np.float32]
Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def batch(examples: Sequence[Example], count: int, rng: np.random.Generator) -> Batch:
    """What is shown, the kinds, the votes and how much each vote counts, of so many random crops."""
    crops = [_crop(examples[int(rng.integers(len(examples)))], rng) for _ in range(count)]
    shown, kinds, votes, weights = (
        torch.from_numpy(np.ascontiguousarray(np.stack(part))) for part in zip(*crops, strict=True)
    )
    return shown, kinds, votes, weights


def cost(net: Net, lesson: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """What the net's answers to a batch cost; and for people: by kinds, votes' likelihood, turn and size, place."""
    shown, kinds, votes, weights = lesson
    # Half the digits cost half the time where the processor has them, and the mean over steps loses nothing.
    with torch.autocast("cpu", torch.bfloat16):
        odds, said, spread = (part.float() for part in net(shown.to(memory_format=torch.channels_last)))
    smallness = _by_pixel(COST_WEIGHTS.small * weights).clamp(1, COST_WEIGHTS.max_small)
    count = torch.tensor(COST_WEIGHTS.kinds)[kinds] * smallness
    by_kind = (functional.cross_entropy(odds, kinds, reduction="none") * count).sum() / count.sum()
    off = (said - votes).abs()
    away, log_scale = off[:, :2].sum(1), spread[:, 0].clamp(-5, 3)
    total = weights.sum().clamp(min=1e-3)
    likelihood = ((away / log_scale.exp() + 2 * log_scale) * weights).sum() / total
    shape = ((off[:, 2:4].sum(1) + 2 * off[:, 4:].sum(1)) * weights).sum() / total
    place = (away * weights).sum() / total
    whole = COST_WEIGHTS.for_kinds * by_kind + COST_WEIGHTS.for_votes * likelihood + shape
    return whole, torch.stack([by_kind, likelihood, shape, place]).detach()


def _by_pixel(cells: torch.Tensor) -> torch.Tensor:
    return cells.repeat_interleave(2, 1).repeat_interleave(2, 2)


def _crop(example: Example, rng: np.random.Generator) -> tuple[Floats, npt.NDArray[np.int64], Floats, Floats]:
    high, wide = example.kinds.shape
    if len(example.tiles) and rng.random() < CROPS.near_tiles:
        middle = 2 * example.tiles[int(rng.integers(len(example.tiles))), :2] + CROPS.jitter * rng.normal(size=2)
    else:
        middle = rng.uniform(0, (wide, high))
    ends = np.maximum(-CROPS.beyond, np.array([wide, high]) - CROPS.side + CROPS.beyond)
    left, top = (np.clip(middle - CROPS.side / 2, -CROPS.beyond, ends).astype(int) // 2 * 2).tolist()
    shown = np.stack([_cut(plane, left, top, CROPS.side, 0.0) for plane in example.shown]).astype(np.float32)
    kinds = _cut(example.kinds, left, top, CROPS.side, 0)
    owner = _cut(example.owner, left // 2, top // 2, CROPS.side // 2, -1)
    votes, weights = _votes(example, owner, left // 2, top // 2)
    shown[:3] = _recoloured(shown[:3], rng)
    return _turned(shown, kinds.astype(np.int64), votes, weights, rng)


def _cut(plane: npt.NDArray[np.generic], left: int, top: int, side: int, fill: float) -> npt.NDArray[np.generic]:
    found = np.full((side, side), fill, plane.dtype)
    part = plane[max(0, top) : top + side, max(0, left) : left + side]
    y, x = max(0, -top), max(0, -left)
    found[y : y + part.shape[0], x : x + part.shape[1]] = part
    return found


def _votes(example: Example, owner: npt.NDArray[np.generic], left: int, top: int) -> tuple[Floats, Floats]:
    """What each cell should vote, and how much that counts: small tiles' cells more."""
    side = len(owner)
    if not len(example.tiles):
        return np.zeros((6, side, side), np.float32), np.zeros((side, side), np.float32)
    rows, columns = np.mgrid[:side, :side]
    index = np.asarray(owner, np.intp)
    on, whose = index >= 0, np.maximum(index, 0)
    x, y, turn, breadth, height = example.tiles.T[:, whose]
    across, down = ((x - left - columns) / NETWORK_INPUT.vote_unit, (y - top - rows) / NETWORK_INPUT.vote_unit)
    votes = np.stack([across, down, np.cos(2 * turn), np.sin(2 * turn), breadth, height])
    cells = np.bincount(index[on], minlength=len(example.tiles))
    weights = np.where(on, 1 / np.sqrt(np.maximum(cells[whose], 4)), 0.0)
    return votes.astype(np.float32), weights.astype(np.float32)


def _recoloured(light: Floats, rng: np.random.Generator) -> Floats:
    """Other contrast, tint and noise; now and then without colour, or its colours exchanged."""
    if rng.random() < 0.8:
        light = light * np.float32(rng.uniform(0.85, 1.2)) + rng.normal(0, 0.03, (3, 1, 1)).astype(np.float32)
        light = light + np.float32(rng.choice(CROPS.noises)) * rng.standard_normal(light.shape, np.float32)
    if rng.random() < 0.1:
        return np.repeat(light.mean(axis=0, keepdims=True), 3, axis=0)
    return light[rng.permutation(3)] if rng.random() < 0.3 else light


def _turned(
    shown: Floats, kinds: npt.NDArray[np.int64], votes: Floats, weights: Floats, rng: np.random.Generator
) -> tuple[Floats, npt.NDArray[np.int64], Floats, Floats]:
    """Mirrored across, down and along the diagonal, by chance; directions with them."""
    across, down, diagonal = rng.random(3) < 0.5
    if across:
        shown, votes = shown[..., ::-1].copy(), votes[..., ::-1].copy()
        kinds, weights = kinds[:, ::-1], weights[:, ::-1]
        shown[4], votes[[0, 3]] = -shown[4], -votes[[0, 3]]
    if down:
        shown, votes = shown[:, ::-1].copy(), votes[:, ::-1].copy()
        kinds, weights = kinds[::-1], weights[::-1]
        shown[5], votes[[1, 3]] = -shown[5], -votes[[1, 3]]
    if diagonal:
        shown, votes = shown.transpose(0, 2, 1).copy(), votes.transpose(0, 2, 1).copy()
        kinds, weights = kinds.T, weights.T
        shown[[4, 5]], votes[[0, 1]], votes[2] = shown[[5, 4]], votes[[1, 0]], -votes[2]
    return shown, kinds, votes, weights
