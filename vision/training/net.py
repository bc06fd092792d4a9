"""The network as it is taught: shrinks the picture to see far, grows it again to see fine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper
from torch import nn
from torch.nn import functional

from vision.reader.network import KINDS, PLANES

WIDTHS = (24, 48, 96, 128)  # planes at half, a quarter, an eighth and a sixteenth of the picture's size
LAYERS = (1, 2, 3, 4)  # at each of these sizes, on the way down
LENGTH = 0.12  # of a kernel read from a file, by the root of its matrix's longer side: about what steps make of it
ANSWERS = 4 * KINDS + 7  # per cell: the kinds of its four pixels, and the votes


def _block(planes: int, wider: int, count: int, stride: int = 1) -> nn.Sequential:
    layers: list[nn.Module] = []
    for k in range(count):
        start, step = (planes, stride) if k == 0 else (wider, 1)
        layers += [nn.Conv2d(start, wider, 3, step, 1, bias=False), nn.BatchNorm2d(wider), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


class Net(nn.Module):  # type: ignore[misc]
    """From what is shown (batch, PLANES, height, width) to kinds, votes and how sure the votes are."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d = WIDTHS
        planes, steps = (4 * PLANES, a, b, c), (1, 2, 2, 2)
        self.down = nn.ModuleList(map(_block, planes, WIDTHS, LAYERS, steps))
        self.narrow = nn.ModuleList([nn.Conv2d(d, c, 1), nn.Conv2d(c, b, 1), nn.Conv2d(b, a, 1)])
        self.up = nn.ModuleList([_block(2 * c, c, 1), _block(2 * b, b, 1), _block(2 * a, a, 1)])
        self.head = nn.Conv2d(a, ANSWERS, 1)

    def forward(self, shown: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Logarithms of the kinds' odds per pixel; six votes and the logarithm of their error per cell."""
        x = functional.pixel_unshuffle(shown, 2)
        levels = []
        for block in self.down:
            x = block(x)
            levels.append(x)
        for narrow, block, fine in zip(self.narrow, self.up, reversed(levels[:-1]), strict=True):
            x = block(torch.cat([functional.interpolate(narrow(x), scale_factor=2, mode="nearest"), fine], 1))
        y = self.head(x)
        return functional.pixel_shuffle(y[:, : 4 * KINDS], 2), y[:, 4 * KINDS : -1], y[:, -1:]


class _Graph:
    """The same net as ONNX, from folded planes to all answers; each norm is part of the layer before it."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def _name(self) -> str:
        return f"n{len(self.nodes)}_{len(self.weights)}"

    def _constant(self, values: Any) -> str:
        name = "w" + self._name()
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], **options: Any) -> str:
        name = self._name()
        self.nodes.append(helper.make_node(kind, inputs, [name], **options))
        return name

    def convolution(self, x: str, layer: nn.Conv2d, norm: nn.BatchNorm2d | None = None) -> str:
        weight = layer.weight.detach().numpy()
        bias = np.zeros(len(weight), np.float32) if layer.bias is None else layer.bias.detach().numpy()
        if norm is not None and norm.running_var is not None and norm.running_mean is not None:
            gain = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach().numpy()
            weight = weight * gain[:, None, None, None]
            bias = (bias - norm.running_mean.numpy()) * gain + norm.bias.detach().numpy()
        side = layer.kernel_size[0]
        inputs = [x, self._constant(weight), self._constant(bias)]
        return self._node("Conv", inputs, kernel_shape=[side] * 2, strides=list(layer.stride), pads=[side // 2] * 4)

    def block(self, x: str, block: Any) -> str:
        layers = list(block)
        for k in range(0, len(layers), 3):
            x = self._node("Relu", [self.convolution(x, layers[k], layers[k + 1])])
        return x

    def grown(self, x: str, beside: str) -> str:
        scale = self._constant(np.array([1, 1, 2, 2], np.float32))
        way = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self._node("Concat", [self._node("Resize", [x, "", scale], **way), beside], axis=1)


def kernels_of(net: Net) -> list[tuple[nn.Conv2d, nn.BatchNorm2d | None]]:
    """The net's layers in the order in which they are written, each with its norm where it has one."""
    found: list[tuple[nn.Conv2d, nn.BatchNorm2d | None]] = []

    def add(block: Any) -> None:
        layers = list(block)
        found.extend(zip(layers[::3], layers[1::3], strict=True))

    for block in net.down:
        add(block)
    for narrow, block in zip(net.narrow, net.up, strict=True):
        assert isinstance(narrow, nn.Conv2d)
        found.append((narrow, None))
        add(block)
    return [*found, (net.head, None)]


def read(path: Path, shown: Sequence[torch.Tensor]) -> Net:
    """The net of a file, ready to learn on: each norm is found again from what these pictures make of its layer."""
    graph = onnx.load(path).graph
    weights = {part.name: torch.from_numpy(numpy_helper.to_array(part).copy()) for part in graph.initializer}
    written = [node.input for node in graph.node if node.op_type == "Conv"]
    net, seen = Net(), dict[nn.BatchNorm2d, list[torch.Tensor]]()
    layers = kernels_of(net)
    with torch.no_grad():
        for (layer, norm), names in zip(layers, written, strict=True):
            bias = layer.bias if norm is None else norm.bias
            layer.weight.copy_(weights[names[1]])
            bias.copy_(weights[names[2]])
            if norm is not None:
                norm.running_var.fill_(1 - norm.eps)
                norm.register_forward_pre_hook(lambda norm, given: seen.setdefault(norm, []).append(given[0]))
        net.eval()
        for pictures in shown:
            net(pictures)
        for layer, norm in layers:
            if norm is not None:
                _settle(layer, norm, torch.cat(seen.pop(norm)))
                norm._forward_pre_hooks.clear()
    net.train()
    return net


def _settle(layer: nn.Conv2d, norm: nn.BatchNorm2d, answers: torch.Tensor) -> None:
    """Gives a layer without a norm one that changes nothing, and its kernels the length they have while learning."""
    spread, mean = torch.var_mean(answers, (0, 2, 3))
    norm.weight.copy_(spread.sqrt())
    norm.bias.add_(mean)
    flat = layer.weight.flatten(1)
    longer = LENGTH * max(flat.shape) ** 0.5 / flat.norm(dim=1)
    layer.weight.mul_(longer[:, None, None, None])
    norm.running_mean.copy_(mean * longer)
    norm.running_var.copy_(spread * longer**2)


def write(net: Net, path: Path) -> None:
    """Writes the net as `vision.reader.network` reads it."""
    net.eval()
    graph = _Graph()
    x, levels = "shown", []
    for block in net.down:
        x = graph.block(x, block)
        levels.append(x)
    for narrow, block, fine in zip(net.narrow, net.up, reversed(levels[:-1]), strict=True):
        assert isinstance(narrow, nn.Conv2d)
        x = graph.block(graph.grown(graph.convolution(x, narrow), fine), block)
    graph.convolution(x, net.head)
    graph.nodes[-1].output[0] = "answers"
    kind = onnx.TensorProto.FLOAT
    ends = [
        helper.make_tensor_value_info(name, kind, [1, planes, "height", "width"])
        for name, planes in (("shown", 4 * PLANES), ("answers", ANSWERS))
    ]
    whole = helper.make_graph(graph.nodes, "tiles", ends[:1], ends[1:], graph.weights)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
