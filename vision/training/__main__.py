"""`python -m vision.training examples FOLDER` makes pictures with labels, `… learn FOLDER OUT.onnx` teaches the net."""

from __future__ import annotations

import argparse
import copy
import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch

from vision.training.labels import example, load_example
from vision.training.lessons import batch, cost
from vision.training.net import Net, read, write
from vision.training.steps import Orthogonal


@dataclass(frozen=True, slots=True)
class Schedule:
    """How the network is taught; docs/vision.md says how long that took on two cores."""

    batch: int = 8  # crops a step
    fastest: float = 6e-3  # length of a step at the start
    slowest: float = 0.01  # what share of it is left at the end
    warming: int = 200  # steps in which it grows to that
    mean_kept: float = 0.998  # of the running mean of the net's weights, which is what is kept
    fixed_norms: float = 0.6  # share of the time after which the norms no longer follow each batch
    settling: int = 20  # batches that show what a net's norms should be
    held_back: int = 40  # examples that nothing is learnt from, at most a third of all
    report_every: int = 200  # steps between two lines
    save_every: int = 1000  # steps after which what is learnt so far is written


SCHEDULE = Schedule()


def main() -> None:
    """Reads the command line and does what it says."""
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    parts = parser.add_subparsers(dest="task", required=True)
    make = parts.add_parser("examples", help="make pictures with labels")
    make.add_argument("folder", type=Path)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--first", type=int, default=0)
    make.add_argument("--count", type=int, default=1500)
    make.add_argument("--step", type=int, default=1, help="every so manieth, to share the work between processes")
    make.add_argument("--traced", action="store_true", help="path-traced (needs LLVM, say libllvm19) instead of drawn")
    teach = parts.add_parser("learn", help="teach the net with the examples of a folder")
    teach.add_argument("folder", type=Path)
    teach.add_argument("out", type=Path, help="the .onnx file to write")
    teach.add_argument("--minutes", type=float, default=60.0)
    teach.add_argument("--threads", type=int, default=2)
    teach.add_argument("--seed", type=int, default=1)
    teach.add_argument("--start", type=Path, help="the .onnx file of a net to go on with")
    teach.add_argument("--fastest", type=float, default=SCHEDULE.fastest, help="length of a step at the start")
    options = parser.parse_args()
    if options.task == "examples":
        which = range(options.first, options.count, options.step)
        _make(options.folder, options.seed, which, options.traced)
    else:
        torch.set_num_threads(options.threads)
        torch.manual_seed(options.seed)
        _learn(options.folder, options.out, options.minutes, options.fastest, options.seed, options.start)


def _make(folder: Path, seed: int, which: range, is_traced: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    for index in which:
        path = folder / f"{seed}_{index}.npz"
        if not path.exists():
            example(seed, index, is_traced).save(path)
            print(path, flush=True)


def _learn(folder: Path, out: Path, minutes: float, fastest: float, seed: int, start: Path | None) -> None:
    rng = np.random.default_rng(seed)
    examples = [load_example(path) for path in sorted(folder.glob("*.npz"))]
    if len(examples) < 3:
        raise SystemExit(f"{folder} has {len(examples)} examples; at least 3 are needed.")
    back = min(SCHEDULE.held_back, len(examples) // 3)
    held, taught = examples[:back], examples[back:]
    if start is None:
        plain = Net()
    else:
        plain = read(start, [batch(taught, SCHEDULE.batch, rng)[0] for _ in range(SCHEDULE.settling)])
    net = plain.to(memory_format=torch.channels_last)
    mean = copy.deepcopy(net)
    kernels = [weights for name, weights in net.named_parameters() if weights.ndim == 4 and not name.startswith("head")]
    others = [weights for weights in net.parameters() if all(weights is not kernel for kernel in kernels)]
    movers = (Orthogonal(kernels, fastest), torch.optim.AdamW(others, lr=fastest, weight_decay=1e-4))
    began, count, costs = time.monotonic(), 0, np.zeros(4)
    pool = ThreadPoolExecutor(1)
    ahead = pool.submit(batch, taught, SCHEDULE.batch, rng)
    while (share := (time.monotonic() - began) / 60 / minutes) < 1:
        slowed = SCHEDULE.slowest + (1 - SCHEDULE.slowest) * (0.5 + 0.5 * math.cos(math.pi * share))
        for group in (group for mover in movers for group in mover.param_groups):
            group["lr"] = fastest * min(1.0, (count + 1) / SCHEDULE.warming) * slowed
        if share > SCHEDULE.fixed_norms and net.training:
            _still(net, mean)
        lesson = ahead.result()
        ahead = pool.submit(batch, taught, SCHEDULE.batch, rng)
        whole, parts = cost(net, lesson)
        net.zero_grad()
        whole.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        for mover in movers:
            mover.step()
        _follow(mean, net, min(SCHEDULE.mean_kept, (count + 1) / (count + 30)))
        count += 1
        costs += parts.numpy() / SCHEDULE.report_every
        if count % SCHEDULE.report_every == 0:
            print(f"{share:4.0%} step {count}: kinds, votes, shape, place {np.round(costs, 3)}", flush=True)
            costs[:] = 0
        if count % SCHEDULE.save_every == 0:
            write(mean, out)
    ahead.result()
    write(mean, out)
    with torch.no_grad():
        parts = torch.stack([cost(mean, batch(held, SCHEDULE.batch, rng))[1] for _ in range(20)]).mean(0)
    print(f"held back: {np.round(parts.numpy(), 3)}")


def _still(net: Net, mean: Net) -> None:
    """From now on the norms take what all pictures have in common, as they will when a picture is read."""
    for own, common in zip(net.buffers(), mean.buffers(), strict=True):
        own.copy_(common)
    net.eval()


def _follow(mean: Net, net: Net, kept: float) -> None:
    with torch.no_grad():
        for old, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
            if old.dtype.is_floating_point:
                old.lerp_(new, 1 - kept)
            else:
                old.copy_(new)


if __name__ == "__main__":
    main()
