"""Makes one call of the live candidate under watch and reports everything the parent judges by."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils import _pytree as pytree

from ....profiling import running
from ....profiling.build import Input
from ..interpreter.effort import effort
from ..interpreter.extent import loaded_whole
from ..interpreter.interpreter import Watch
from ..interpreter.kept import Kept
from ..interpreter.launches import labels
from ..interpreter.pace import EachItsOwnError
from ..reference.eight_bits import as_bytes
from ..reference.oracle import in_mode
from ..reference.overlaps import overlapping, shares
from ..text.coverage import Reached
from . import state
from .exchange import Step, StepReport
from .layout import EMPTY, RESIZED, placed
from .owned import by_place, owned
from .raised import in_kernel, told
from .recorder import Recorder
from .stand_in import OnThisMachine

_AGE, _AGING_S = 256, 0.3
"""Calls before a late one, and the most that they may take together, in seconds as `Effort` counts."""

_SETTLING = 2
"""Calls of an instance after which what it keeps must stay as it is."""

_MOST_OUTPUT_BYTES = 256 << 20


@dataclass
class Instance:
    """One live ModelNew with the tensors it is called on."""

    model: nn.Module
    argument_names: list[str]
    slots: list[Input]
    returned: list[torch.Tensor]  # every output so far, kept alive
    reached: Reached
    globals: dict[str, Any]  # what the file itself defines
    calls: int = 0
    read_whole: set[str] | None = None  # labels of what kernels have loaded all of in every call


class Call:
    """One call of the live instance, watched."""

    def __init__(self, instance: Instance, step: Step, watch: Watch) -> None:
        self.instance, self.step, self.watch = instance, step, watch
        self.recorder = Recorder(lambda: watch.memory)

    def run(self) -> tuple[StepReport, dict[str, Any]]:
        self.before = self.instance.slots  # alive, so that what moves cannot lie where these do
        self._fill()
        self.kept = Kept(self.instance.globals, self.instance.model)
        if self.step.late:
            fault = self._aged()
            if fault is not None:
                return fault, {}
        owners = self._owners()
        before = {name: tensor.clone() for name, tensor in owners.items()}
        alive, started = running.now(), time.monotonic()
        try:
            result = self._forward()
        except EachItsOwnError:
            return StepReport("skipped"), {}
        except BaseException as error:  # whatever it raises is its result, not ours
            return self._report("raised", started, error=told(error), in_kernel=in_kernel(error)), {}
        leaves, tree = pytree.tree_flatten(result)
        outputs, odd = _tensors_of(leaves)
        seen = self._seen(outputs, owners, before)
        kept = [_read_out(output) for output in outputs]
        self.instance.returned += outputs
        changed = {name: owners[name].clone() for name in seen["changed"]}
        moved = by_place(self.inputs, owners, changed)
        earlier = self._violations()
        again = self._again(owners, before, kept) if self.step.again and _readable(outputs) else None
        report = self._report(
            "ok",
            started,
            earlier if self.step.again else (),
            tree=str(tree),
            odd_outputs=odd,
            again_equal=again,
            left_running=tuple(running.left_since(alive)),
            **seen,
        )
        return report, {"outputs": kept, "changed": changed, "inputs": moved}

    def _aged(self) -> StepReport | None:
        """Call after call with the kernels left out, for whoever counts them to the judge's end."""
        started, until = time.monotonic(), effort.seconds() + _AGING_S
        try:
            for _ in range(_AGE):
                if effort.seconds() > until:
                    break
                self._forward(ghost=True)
        except BaseException as error:  # as in `run`
            return self._report("raised", started, error=told(error), in_kernel=in_kernel(error))
        self.recorder = Recorder(lambda: self.watch.memory)
        self.left = self.inputs  # alive, as those before
        self._fill()
        self.kept = Kept(self.instance.globals, self.instance.model)
        return None

    def _seen(
        self, outputs: list[torch.Tensor], owners: dict[str, torch.Tensor], before: dict[str, torch.Tensor]
    ) -> dict[str, Any]:
        """What there is to say of the outputs and of memory before the call is repeated."""
        own = [one for one in outputs if not any(shares(one, owner) for owner in owners.values())]
        held_earlier = any(shares(output, old) for output in own for old in self.instance.returned)
        self._name_outputs(outputs)
        self._note_read()
        return {
            "unsettled": self._unsettled(),
            "strides": tuple(output.stride() for output in outputs),
            "aliases": _aliases(outputs, list(owners.values())),
            "overlaps": overlapping(outputs),
            "held_earlier": held_earlier,
            "changed": tuple(name for name, now in owners.items() if not _same_bits(now, before[name])),
            "launches": tuple(f"{one.kernel}{list(one.grid)}" for one in self.watch.launches),
            "traffic": self._traffic(),
        }

    def _note_read(self) -> None:
        """Inputs as they are shipped, weights and what lies between kernels, where all of it was loaded."""
        if self.step.ghost or self.step.layout != "contiguous":
            return
        extents = self.watch.memory.extents.values()
        whole = loaded_whole(extents, labels(self.inputs, self.instance.model))
        known = self.instance.read_whole
        self.instance.read_whole = whole if known is None else known & whole

    def _unsettled(self) -> tuple[str, ...]:
        """What is kept and has changed; the first calls of a shape may fill what they keep, and those after
        one of another size."""
        self.instance.calls = 0 if self.step.layout in (*EMPTY, *RESIZED) else self.instance.calls + 1
        if self.step.layout != "contiguous" or self.step.ghost or self.instance.calls <= _SETTLING:
            return ()
        now = Kept(self.instance.globals, self.instance.model)
        return self.kept.changed_by_a_call(now, self.watch.memory)

    def _fill(self) -> None:
        """Bring in weights and inputs: in place where the instance has them already; a call that moves takes
        the weights elsewhere too, as `.to` does."""
        if self.step.moved:
            nn.Module._apply(self.instance.model, torch.clone)  # type: ignore[no-untyped-call]
        state.fill(self.instance.model, self.step.state)
        slots = [] if self.step.moved else self.instance.slots
        if slots and self.step.layout == "contiguous":
            for slot, value in zip(slots, self.step.inputs, strict=True):
                if isinstance(slot, torch.Tensor) and isinstance(value, torch.Tensor):
                    slot.copy_(value)
            self.inputs = [
                slot if isinstance(slot, torch.Tensor) else value
                for slot, value in zip(slots, self.step.inputs, strict=True)
            ]
            return
        self.inputs = placed(self.step.inputs, self.step.layout)
        if self.step.layout == "contiguous":
            self.instance.slots = self.inputs

    def _owners(self) -> dict[str, torch.Tensor]:
        """Every tensor the reference knows too, inputs first, named as the candidate's forward names them."""
        return owned(self.inputs, self.instance.argument_names, self.instance.model.state_dict())

    def _forward(self, ghost: bool = False) -> Any:
        effort.forwards += 1
        self.watch.begin()
        self.watch.ghost = ghost or self.step.ghost
        self.watch.otherwise = self.step.moved
        for name, tensor in self._owners().items():
            self.watch.know(name, tensor)
        for name, tensor in self.kept.tensors.items():
            self.watch.memory.keep(self.watch.know(name, tensor))
        flipped = in_mode(self.instance.model, None) if self.step.flipped and not ghost else nullcontext()
        seen = OnThisMachine(self.recorder), self.recorder, self.instance.reached.watching()
        with torch.set_grad_enabled(self.step.late), flipped, seen[0], seen[1], seen[2]:
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

    def _violations(self) -> tuple[tuple[str, str], ...]:
        return tuple((violation.kind, violation.detail) for violation in self.watch.memory.violations)

    def _report(
        self, status: str, started: float, earlier: tuple[tuple[str, str], ...] = (), **more: Any
    ) -> StepReport:
        """`earlier` are the violations of a call that the one watched now repeats."""
        watch, memory = self.watch, self.watch.memory
        return StepReport(
            status=status,
            seconds=time.monotonic() - started,
            configurations=dict(watch.configurations),
            dot_precisions=tuple(sorted(watch.dot_precisions)),
            products=watch.products,
            compute=dict(self.recorder.compute),
            copies=dict(self.recorder.copies),
            violations=(*earlier, *self._violations()),
            loads_without_other=memory.loads_without_other,
            rounded=watch.rounded or "_to_copy" in self.recorder.copies,
            **more,
        )


def _tensors_of(leaves: list[Any]) -> tuple[list[torch.Tensor], tuple[str, ...]]:
    """The outputs as plain tensors, and what is something else: other types, tensors with attributes of their
    own."""
    present = [leaf for leaf in leaves if leaf is not None]
    odd = tuple(filter(None, map(_oddity, present)))
    if odd:
        return [], odd
    return [leaf if isinstance(leaf, torch.Tensor) else torch.as_tensor(leaf) for leaf in present], ()


def _oddity(leaf: Any) -> str:
    if type(leaf) is torch.Tensor:
        if leaf.device.type != "cpu" or leaf.layout != torch.strided:
            return f"{leaf.layout} tensor on {leaf.device.type}".removeprefix("torch.")
        return "tensor with attributes of its own" if vars(leaf) else ""
    return "" if type(leaf) in (int, float, bool) else type(leaf).__name__[:100]


def _readable(outputs: list[torch.Tensor]) -> bool:
    return all(output.nbytes <= _MOST_OUTPUT_BYTES for output in outputs)


def _read_out(output: torch.Tensor) -> torch.Tensor:
    """A copy; of a view that only looks large, the view, whose shape is wrong anyway."""
    return output.detach().clone() if _readable([output]) else output.detach()


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
    return torch.equal(as_bytes(one), as_bytes(other))
