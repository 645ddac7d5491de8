"""Makes one call of the live candidate under watch and reports everything the parent judges by."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ...profiling.build import Input
from .exchange import Step, StepReport
from .interpreter import Watch
from .layout import place
from .memory import OutOfBoundsError
from .oracle import shares
from .recorder import Recorder
from .stand_in import OnThisMachine


@dataclass
class Instance:
    """One live ModelNew with the tensors it is called on."""

    model: nn.Module
    argument_names: list[str]
    slots: list[Input]
    returned: list[torch.Tensor]  # every output so far, kept alive


class Call:
    """One call of the live instance, watched."""

    def __init__(self, instance: Instance, step: Step, watch: Watch) -> None:
        self.instance, self.step, self.watch = instance, step, watch
        self.recorder = Recorder()

    def run(self) -> tuple[StepReport, dict[str, Any]]:
        self._fill()
        owners = self._owners()
        before = {name: tensor.clone() for name, tensor in owners.items()}
        started = time.monotonic()
        try:
            result = self._forward()
        except (Exception, SystemExit, GeneratorExit) as error:
            return self._report("raised", started, error=_told(error), in_kernel=_in_kernel(error)), {}
        leaves, tree = pytree.tree_flatten(result)
        outputs, odd = _tensors_of(leaves)
        held_earlier = any(shares(output, old) for output in outputs for old in self.instance.returned)
        kept = [output.clone() for output in outputs]
        changed = {
            name: tensor.clone() for name, tensor in owners.items() if not _same_bits(tensor, before[name])
        }
        aliases = _aliases(outputs, list(owners.values()))
        self._name_outputs(outputs)
        traffic, launches = (
            self._traffic(),
            tuple(f"{one.kernel}{list(one.grid)}" for one in self.watch.launches),
        )
        self.instance.returned += outputs
        report = self._report(
            "ok",
            started,
            tree=str(tree),
            odd_outputs=odd,
            held_earlier=held_earlier,
            changed=tuple(changed),
            aliases=aliases,
            launches=launches,
            traffic=traffic,
            again_equal=self._again(owners, before, kept) if self.step.again else None,
        )
        return report, {"outputs": kept, "changed": changed}

    def _fill(self) -> None:
        """Bring in weights and inputs: in place where the instance has them already."""
        with torch.no_grad():
            for name, value in self.instance.model.state_dict().items():
                value.copy_(self.step.state[name])
        slots = self.instance.slots
        if slots and self.step.layout == "contiguous":
            for slot, value in zip(slots, self.step.inputs, strict=True):
                if isinstance(slot, torch.Tensor) and isinstance(value, torch.Tensor):
                    slot.copy_(value)
            self.inputs = [
                slot if isinstance(slot, torch.Tensor) else value
                for slot, value in zip(slots, self.step.inputs, strict=True)
            ]
            return
        self.inputs = [
            place(value, self.step.layout) if isinstance(value, torch.Tensor) else value
            for value in self.step.inputs
        ]
        if self.step.layout == "contiguous":
            self.instance.slots = self.inputs

    def _owners(self) -> dict[str, torch.Tensor]:
        """Every tensor the reference knows too, inputs first, named as the candidate's forward names them."""
        names = self.instance.argument_names
        found = {
            names[place] if place < len(names) else f"input{place}": value
            for place, value in enumerate(self.inputs)
            if isinstance(value, torch.Tensor)
        }
        return {**found, **self.instance.model.state_dict()}

    def _forward(self) -> Any:
        self.watch.begin()
        self.watch.ghost = self.step.ghost
        for name, tensor in self._owners().items():
            self.watch.know(name, tensor)
        with torch.no_grad(), OnThisMachine(), self.recorder:
            return self.instance.model(*self.inputs)

    def _again(
        self, owners: dict[str, torch.Tensor], before: dict[str, torch.Tensor], first: list[torch.Tensor]
    ) -> bool:
        """The same call once more, from the same state: is it the same, bit for bit?"""
        with torch.no_grad():
            for name, tensor in owners.items():
                if 0 not in tensor.stride():
                    tensor.copy_(before[name])
        second, _ = _tensors_of(pytree.tree_leaves(self._forward()))
        self.instance.returned += second
        return len(second) == len(first) and all(map(_same_bits, second, first))

    def _name_outputs(self, outputs: list[torch.Tensor]) -> None:
        for number, output in enumerate(outputs):
            for extent in self.watch.memory.extents.values():
                if output.numel() and extent.start <= output.data_ptr() < extent.stop and extent.store_issued:
                    extent.name = f"output{number}" if len(outputs) > 1 else "output"

    def _traffic(self) -> dict[str, tuple[int, int, int, int]]:
        found: dict[str, tuple[int, int, int, int]] = {}
        for name, seen in self.watch.memory.traffic():
            label = name if name not in found else f"{name} ({len(found)})"
            found[label] = (seen.load_issued, seen.load_unique, seen.store_issued, seen.store_unique)
        return found

    def _report(self, status: str, started: float, **more: Any) -> StepReport:
        watch, memory = self.watch, self.watch.memory
        return StepReport(
            status=status,
            seconds=time.monotonic() - started,
            configurations=dict(watch.configurations),
            dot_precisions=tuple(sorted(watch.dot_precisions)),
            compute=dict(self.recorder.compute),
            copies=dict(self.recorder.copies),
            violations=tuple((violation.kind, violation.detail) for violation in memory.violations),
            loads_without_other=memory.loads_without_other,
            **more,
        )


def _tensors_of(leaves: list[Any]) -> tuple[list[torch.Tensor], tuple[str, ...]]:
    """The outputs as plain tensors, and the names of types that are something else."""
    present = [leaf for leaf in leaves if leaf is not None]
    odd = tuple(type(leaf).__name__ for leaf in present if type(leaf) not in (torch.Tensor, int, float, bool))
    return [leaf if isinstance(leaf, torch.Tensor) else torch.as_tensor(leaf) for leaf in present], odd


def _aliases(outputs: list[torch.Tensor], owners: list[torch.Tensor]) -> tuple[tuple[int, int], ...]:
    return tuple(
        (out, place)
        for out, output in enumerate(outputs)
        for place, owner in enumerate(owners)
        if shares(output, owner)
    )


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return (
        one.contiguous().reshape(-1).view(torch.uint8).equal(other.contiguous().reshape(-1).view(torch.uint8))
    )


def _told(error: BaseException) -> str:
    """The innermost cause, which is where a kernel's own error stands."""
    while error.__cause__ is not None:
        error = error.__cause__
    message = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {message}"[:600]


def _in_kernel(error: BaseException) -> bool:
    return type(error).__name__ == "InterpreterError" or isinstance(error, OutOfBoundsError)
