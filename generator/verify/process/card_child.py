"""Runs one candidate in CUDA C++ on the card, call after call on the live instance, and reports what it did.

Started by `card.py` through the sandbox. Inputs lie between guards on the card, the same instance answers all
calls of one shape at the same addresses, its weights changed in place in between; memory that it asks torch
for is filled with NaN. No address is watched: what a kernel reads, and what it writes beyond the guards, only
compute-sanitizer sees.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ....profiling import running
from ....profiling.build import Input, seeded
from ....profiling.sandbox_child import serve
from ..reference.eight_bits import as_bytes
from ..reference.oracle import in_mode
from ..reference.overlaps import shares
from . import state
from .exchange import (
    ENOUGH_FILE,
    PROGRESS_FILE,
    RESULT_FILE,
    Shape,
    Step,
    StepReport,
    report_json,
    take_request,
    write_call,
)
from .integrity import changed_since, snapshot
from .layout import Layout, layout_of, place, poison
from .owned import by_place, owned
from .recorder import Recorder

GUARD = 256
"""Elements before and after each input that no kernel may touch."""


@dataclass
class Placed:
    """An input on the card, with the memory before and after it and what stood there."""

    tensor: torch.Tensor
    guards: tuple[torch.Tensor, torch.Tensor]
    stood: tuple[torch.Tensor, torch.Tensor]

    def overrun(self) -> bool:
        return not all(_same_bits(now, was) for now, was in zip(self.guards, self.stood, strict=True))


@dataclass
class Instance:
    """One live ModelNew, the inputs it is called on, and every output so far, kept alive."""

    model: nn.Module
    slots: list[Placed | Input] = field(default_factory=list)
    returned: list[torch.Tensor] = field(default_factory=list)


def handle(request: Mapping[str, Any]) -> dict[str, Any]:
    folder, device = Path.cwd(), request["device"]
    shapes, steps, _ = take_request(folder)
    torch.ones(2, device=device).sum().item()  # starts the driver's own threads
    before = snapshot()
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills what C++ code gets from torch::empty
    instances: dict[int, Instance] = {}
    reports, tensors = [], {}
    for number, step in enumerate(steps):
        (folder / PROGRESS_FILE).write_text(str(number))
        if step.shape not in instances:
            made = _made(shapes[step.shape], step, request["mode"], device)
            if isinstance(made, dict):
                return made
            instances[step.shape] = Instance(made)
        try:
            report, tensors[number] = _Call(instances[step.shape], step, device).run()
        except state.WrongStateError as error:
            return {"wrong_state": str(error)}
        report = replace(report, launches=() if step.ghost else tuple(request["kernels"]))
        reports.append(report)
        write_call(folder, number, report, tensors[number])
        if (folder / ENOUGH_FILE).exists():
            break
    patched = changed_since(before) if "torch._dynamo" not in sys.modules else []
    torch.save(tensors, folder / RESULT_FILE)
    return {"reports": [report_json(report) for report in reports], "patched": patched}


def _made(shape: Shape, step: Step, mode: str, device: str) -> nn.Module | dict[str, Any]:
    """ModelNew with the step's weights, or what stands against it."""
    module = ModuleType(f"candidate_{shape.name}")
    module.__file__ = shape.file
    sys.modules[module.__name__] = module
    alive = running.now()
    try:
        exec(compile(Path(shape.file).read_text(encoding="utf-8"), shape.file, "exec"), vars(module))
        with seeded(shape.seed):
            model: nn.Module = module.ModelNew(*shape.args, **shape.kwargs).to(device)
    except Exception as error:
        return {"not_loadable": f"building it on the card raises {_told(error)}"}
    left = running.left_since(alive)
    if left:
        return {"left_running": f"loading it starts {left[0]}"}
    if mode != "as-is":
        model.train(mode == "train")
    return model


class _Call:
    """One call of the live instance."""

    def __init__(self, instance: Instance, step: Step, device: str) -> None:
        self.instance, self.step, self.device = instance, step, device
        self.recorder = Recorder()
        self.wait: Callable[[], None] = _settled if device == "cuda" else lambda: None

    def run(self) -> tuple[StepReport, dict[str, Any]]:
        self._fill()
        owners = self._owners()
        before = {name: value.clone() for name, value in owners.items()}
        alive, begun = running.now(), time.monotonic()
        try:
            leaves, tree = pytree.tree_flatten(self._forward())
        except Exception as error:
            return StepReport("raised", error=_told(error), seconds=time.monotonic() - begun), {}
        seconds = time.monotonic() - begun
        outputs = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        odd = tuple(_oddity(leaf, self.device) for leaf in leaves if leaf is not None)
        kept = [output.detach().cpu().clone() for output in outputs]
        changed = {name: value.cpu() for name, value in owners.items() if not _same_bits(value, before[name])}
        told, moved = tuple(changed), by_place(self._inputs(), owners, changed)
        own = [one for one in outputs if not any(shares(one, owner) for owner in owners.values())]
        held = any(shares(output, old) for output in own for old in self.instance.returned)
        self.instance.returned += outputs
        report = StepReport(
            "ok", tree=str(tree), odd_outputs=tuple(filter(None, odd)),
            strides=tuple(output.stride() for output in outputs), held_earlier=held,
            aliases=tuple(
                (out, at)
                for out, output in enumerate(outputs)
                for at, owner in enumerate(owners.values())
                if shares(output, owner)
            ),
            changed=told, violations=self._overruns(),
            again_equal=self._again(owners, before, kept) if self.step.again else None,
            left_running=tuple(running.left_since(alive)), rounded=True,  # nobody can tell
            compute=dict(self.recorder.compute), copies=dict(self.recorder.copies), seconds=seconds,
        )  # fmt: skip
        return report, {"outputs": kept, "changed": changed, "inputs": moved}

    def _fill(self) -> None:
        """Weights and inputs: in place where the instance has them already."""
        state.fill(self.instance.model, self.step.state)
        plain = self.step.layout == "contiguous"
        if self.instance.slots and plain and not self.step.moved:
            self.slots = self.instance.slots
            for slot, given in zip(self.slots, self.step.inputs, strict=True):
                if isinstance(slot, Placed) and isinstance(given, torch.Tensor):
                    slot.tensor.copy_(given)
            return
        self.slots = [
            _placed(given, layout_of(number, given, self.step.layout), self.device)
            if isinstance(given, torch.Tensor)
            else given
            for number, given in enumerate(self.step.inputs)
        ]
        if plain:
            self.instance.slots = self.slots

    def _inputs(self) -> list[Input]:
        return [slot.tensor if isinstance(slot, Placed) else slot for slot in self.slots]

    def _owners(self) -> dict[str, torch.Tensor]:
        """Every tensor the reference knows too, inputs first, by place as the oracle has them."""
        names = getattr(self.instance.model.forward, "__code__", None)
        arguments = list(names.co_varnames[1:]) if names else []
        return owned(self._inputs(), arguments, self.instance.model.state_dict())

    def _forward(self) -> Any:
        mode = in_mode(self.instance.model, None) if self.step.flipped else torch.set_grad_enabled(False)
        with mode, torch.set_grad_enabled(self.step.late), self.recorder:
            result = self.instance.model(*self._inputs())
            self.wait()
        return result

    def _again(self, owners: Mapping[str, torch.Tensor], before: Any, first: list[torch.Tensor]) -> bool:
        """The same call once more, from the same state: is it the same, bit for bit?"""
        with torch.no_grad():
            for name, value in owners.items():
                if 0 not in value.stride():
                    value.copy_(before[name])
        second = [one for one in pytree.tree_leaves(self._forward()) if isinstance(one, torch.Tensor)]
        self.instance.returned += second
        return len(second) == len(first) and all(
            _same_bits(one.detach().cpu(), other) for one, other in zip(second, first, strict=True)
        )

    def _overruns(self) -> tuple[tuple[str, str], ...]:
        return tuple(
            ("out-of-bounds", f"something was stored beside input {at}")
            for at, slot in enumerate(self.slots)
            if isinstance(slot, Placed) and slot.overrun()
        )


def _settled() -> None:
    """Wait for the card; a launch that was refused, an empty grid say, is told by the next one's check."""
    torch.cuda.synchronize()
    torch.ones(1, device="cuda")


def _placed(given: torch.Tensor, layout: Layout, device: str) -> Placed:
    """`given` on the card with the strides that the layout asks for, between guards."""
    laid = place(given, layout)
    reach = sum((size - 1) * stride for size, stride in zip(laid.shape, laid.stride(), strict=True)) + 1
    reach = reach if laid.numel() else 0
    offset = GUARD + (1 if layout == "shifted" else 0)
    host = torch.empty(reach + offset + GUARD, dtype=given.dtype)
    poison(host)
    if given.numel():
        own = laid[:1] if _expanded(laid) else laid
        torch.as_strided(host, own.size(), own.stride(), offset).copy_(own)
    storage = host.to(device) if device != "cpu" else host
    tensor = torch.as_strided(storage, laid.size(), laid.stride(), offset)
    guards = storage[:offset], storage[offset + reach :]
    return Placed(tensor, guards, (guards[0].clone(), guards[1].clone()))


def _expanded(laid: torch.Tensor) -> bool:
    return laid.ndim > 0 and laid.stride()[0] == 0 and laid.shape[0] > 1


def _oddity(leaf: Any, device: str) -> str:
    if type(leaf) is torch.Tensor:
        if leaf.device.type != device or leaf.layout != torch.strided:
            return f"{leaf.layout} tensor on {leaf.device.type}".removeprefix("torch.")
        return "tensor with attributes of its own" if vars(leaf) else ""
    return type(leaf).__name__[:100]


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.equal(as_bytes(one), as_bytes(other))


def _told(error: BaseException) -> str:
    message = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {message}"[:600]


if __name__ == "__main__":
    serve(handle)
