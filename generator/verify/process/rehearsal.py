"""Runs a candidate at full size on tensors without memory: the wrapper whole, of each launch a few programs.

What the interpreter could never compute at full size it can still walk through: the wrapper's branches, the
grid, which kernels run in which mode, and the addresses that a program forms. So this tells what judged
shapes cannot: programs that would leave part of the output unwritten, offsets that leave their tensor (in 32
bits, say), and conditions that full size alone meets. Values are not known: loads give a constant. What might
depend on it is claimed only if three different constants agree, for what lies out of bounds two large ones
too.
Indices are known by the range they are drawn from: once more, and apart, the walk is made with the highest.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from triton.runtime import interpreter as triton_interpreter

from ..interpreter.constants import constants_in
from ..interpreter.effort import effort
from ..interpreter.imagining import imagining
from ..interpreter.interpreter import Launch, Watch
from ..interpreter.launches import grid_of, labels, sizes_of
from ..interpreter.phantom import Phantom, TimeIsUpError
from ..interpreter.violations import OutOfBoundsError
from ..text.coverage import unwatched
from .exchange import Form
from .programs import FEW, kinds_of, looked_at
from .raised import cause, told
from .recorder import COPIES, EMPTY, FREE
from .stand_in import OnThisMachine

NOWHERE = "meta"
"""The device of tensors that have a shape and no memory."""

_ONES = 1
_CONTENTS = (0, _ONES, -1)
_LARGE, _OUT = (1 << 28, (1 << 31) - 1), "out-of-bounds"
"""A search among rising numbers ends elsewhere for each: beyond all of them, or before; a place whose inverse
is packed into the lower half of a key is the first one."""

_MANY = 8
"""Programs of a kind that are walked before anything is claimed, since programs may do different things."""


@dataclass(frozen=True)
class Rehearsed:
    """`faults` are (cause, detail); `kernels`, `modes` of `tl.dot` and `configurations` as full size uses
    them; `why_not` is set where the walk did not come to its end. `amounts` (kernel, place in its text,
    value) and `values` are numbers made of sizes as full size alone has them, `forced` conditions likewise
    that were made to hold in a judged call, and `unasked` those for which there was no time where they hold
    of themselves. `unread` tells of tensors, by their labels, that are not loaded whole; `whole_s` is what
    all programs would take at the pace of those walked; `steered`: programs may turn by what they load."""

    faults: tuple[tuple[str, str], ...] = ()
    kernels: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    why_not: str = ""
    amounts: tuple[tuple[str, int, float], ...] = ()
    values: tuple[float, ...] = ()
    forced: tuple[tuple[str, int, float], ...] = ()
    unasked: tuple[tuple[str, int, float], ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    whole_s: float = 0.0
    steered: bool = False


class LibraryCallError(Exception):
    """Torch computes part of the result, which takes long to follow without memory."""


class _Fresh(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Tells the phantom which tensors only kernels have written to."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as in recorder.py

    def __init__(self, phantom: Phantom) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.phantom = phantom

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func._schema.name.removeprefix("aten::")
        if not func.is_view and name not in FREE | COPIES:
            raise LibraryCallError(f"torch computes {name} in it")
        result = func(*args, **(kwargs or {}))
        leaves = [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)]
        if name in EMPTY:
            self.phantom._held += leaves
            self.phantom.fresh |= {one.untyped_storage()._cdata for one in leaves}
        elif not func.is_view:
            self.phantom.fresh -= {one.untyped_storage()._cdata for one in leaves}
            if name in COPIES and leaves and isinstance(args[0], torch.Tensor):
                source = args[1] if name == "copy_" and isinstance(args[1], torch.Tensor) else args[0]
                highest = self.phantom.highest.get(source.untyped_storage()._cdata)
                self.phantom.note_highest(leaves[0], highest)
        return result


def at_highest(
    rehearsed: Rehearsed, watch: Watch, make: Callable[[], Any], inputs: Sequence[Any]
) -> Rehearsed:
    """With the faults of a walk whose indices are the highest drawn, if the one before had none."""
    if not _knows_highest(inputs) or rehearsed.faults or rehearsed.why_not:
        return rehearsed
    return replace(rehearsed, faults=rehearse(watch, make, inputs, True).faults)


def _knows_highest(inputs: Sequence[Any]) -> bool:
    return any(isinstance(one, tuple) and one[3] is not None for one in inputs)


def _without_highest(inputs: Sequence[Any]) -> list[Any]:
    return [(*one[:3], None) if isinstance(one, tuple) else one for one in inputs]


def rehearse(
    watch: Watch, make: Callable[[], Any], inputs: Sequence[Any], highest: bool = False
) -> Rehearsed:
    """Walk through `make()(*inputs)`; `inputs` are forms or values; loads of indices give the `highest`."""
    given, inputs = inputs, _without_highest(inputs) if not highest else inputs
    first, phantom = _walk(watch, make, inputs, _CONTENTS[0])
    if first.why_not:
        return Rehearsed((), first.kernels, first.modes, first.why_not)
    agreed, unread = {cause for cause, _ in first.faults}, first.unread
    for content in _CONTENTS[1:] if agreed or unread else ():
        again = _walk(watch, make, inputs, content, _MANY)[0]
        agreed &= {cause for cause, _ in again.faults}
        unread = {label: told for label, told in again.unread.items() if label in unread}
    for content in _LARGE if _OUT in agreed and phantom.steered else ():
        again = _walk(watch, make, given, content, claims=phantom.refused)[0]
        agreed -= {_OUT} - {cause for cause, _ in again.faults} if not again.why_not else set()
    faults = tuple(fault for fault in first.faults if fault[0] in agreed)
    if not first.faults and phantom.narrow:
        faults = _walk(watch, make, inputs, _ONES)[1].run_over()
    found = Rehearsed(faults, first.kernels, first.modes, unread=unread, steered=phantom.steered)
    return replace(found, whole_s=first.whole_s)


def _walk(
    watch: Watch,
    make: Any,
    inputs: Sequence[Any],
    content: int,
    samples: int = FEW,
    claims: tuple[str, str] | None = None,
) -> tuple[Rehearsed, Phantom]:
    phantom, why_not, unread = Phantom(content, samples // FEW, claims), "", dict[str, str]()
    watch.begin()
    watch.promises.sites.clear()
    watch.ghost = watch.otherwise = False
    watch.memory = phantom  # type: ignore[assignment]
    with _in_place_of_memory(watch, phantom, samples), torch.no_grad(), torch.device(NOWHERE):
        try:
            model = make()
            held = [_tensor(one, phantom) if isinstance(one, tuple) else one for one in inputs]
            with OnThisMachine(there=NOWHERE), _Fresh(phantom):
                outputs = [one for one in pytree.tree_leaves(model(*held)) if isinstance(one, torch.Tensor)]
            phantom.unwritten(outputs)
            phantom.miscounted(outputs)
            unread = phantom.unread(labels(held, model))
        except BaseException as error:  # whatever it raises, as in a call
            why_not = _reason(error)
    phantom.faults += [("false-promise", told) for told in watch.promises.broken()]
    kernels = tuple(dict.fromkeys(launch.kernel for launch in watch.launches))
    modes = tuple(sorted(watch.dot_precisions))
    return Rehearsed(
        tuple(phantom.faults), kernels, modes, why_not, unread=unread, whole_s=phantom.whole_s
    ), phantom


def _reason(error: BaseException) -> str:
    """Why the walk ended early; an access out of bounds is a fault and no reason."""
    found = cause(error)
    if isinstance(found, OutOfBoundsError):
        return ""
    return "time was up" if isinstance(found, TimeIsUpError) else told(found)


def _tensor(form: Form, phantom: Phantom) -> torch.Tensor:
    made = torch.empty_strided(form[0], form[1], dtype=form[2])
    phantom.note_highest(made, form[3])
    return made


@contextlib.contextmanager
def _in_place_of_memory(watch: Watch, phantom: Phantom, samples: int) -> Iterator[None]:
    builder = triton_interpreter.interpreter_builder
    kind = type(builder)
    builder.__class__ = imagining(kind, phantom, watch.promises)
    try:
        with (
            patch.object(triton_interpreter, "GridExecutor", _walking(watch, phantom, samples)),
            patch.object(torch.Tensor, "data_ptr", lambda tensor: phantom.address(tensor)),
        ):
            yield
    finally:
        builder.__class__ = kind


def _walking(watch: Watch, phantom: Phantom, samples: int) -> type[Any]:
    class Walking(triton_interpreter.GridExecutor):  # type: ignore[misc]
        def __call__(self, *args: Any, **kwargs: Any) -> None:
            watch.launches.append(Launch(self.fn.__name__, ()))
            kept = {name: value for name, value in kwargs.items() if name in self.arg_names}
            named = {**dict(zip(self.arg_names, args, strict=False)), **kept}
            phantom.begin_launch(self.fn.__name__, named)
            watch.note_arguments(named)
            watch.promises.begin_launch((self.fn.__name__, sizes_of(named)))
            bound = inspect.getcallargs(self.fn, *args, **kept)
            self.grid, self.constexprs = grid_of(self, args, kwargs), constants_in(self, args, kwargs)
            scope = triton_interpreter._patch_lang(self.fn)
            try:
                unseen = _disable_current_modes(), torch._C.DisableTorchFunction()
                with unseen[0], unseen[1], unwatched(), np.errstate(all="ignore"):
                    self._programs({
                        name: one if name in self.constexprs else triton_interpreter._implicit_cvt(one)
                        for name, one in bound.items()
                    })  # fmt: skip
            finally:
                scope.restore()

        def _programs(self, named: dict[str, Any]) -> None:
            """Some of each kind: last or not along each axis. What one stores at most, all of its kind do."""
            sizes = [int(size) for size in (*self.grid, 1, 1)[:3]]
            builder = triton_interpreter.interpreter_builder
            builder.set_grid_dim(*sizes)
            if min(sizes) < 1:
                return
            phantom.check_grid(sizes)
            looked: list[dict[int, int]] = []
            began = effort.seconds()
            for kinds in itertools.product(*(kinds_of(size, samples) for size in sizes)):
                most: dict[int, int] = {}
                loads: dict[int, int] = {}
                adds: dict[int, float] = {}
                for place in looked_at([places for _, places in kinds]):
                    builder.set_grid_idx(*place)
                    self.fn(**named)
                    for start, count in phantom.stored().items():
                        most[start] = max(most.get(start, 0), count)
                    looked.append(phantom.loaded())
                    for start, count in looked[-1].items():
                        loads[start] = max(loads.get(start, 0), count)
                    for start, added in phantom.added().items():
                        adds[start] = max(adds.get(start, 0.0), added)
                    for start, count in self._as_the_last(sizes, named).items():
                        most[start] = max(most.get(start, 0), count)
                programs = float(np.prod([float(count) for count, _ in kinds]))
                for extent in phantom.extents.values():
                    extent.most += programs * most.get(extent.start, 0)
                    extent.loaded += programs * loads.get(extent.start, 0)
                    extent.counted += programs * adds.get(extent.start, 0.0)
            phantom.compare(looked)
            phantom.whole_s += math.prod(sizes) * (effort.seconds() - began) / len(looked)

        def _as_the_last(self, sizes: Sequence[int], named: dict[str, Any]) -> dict[int, int]:
            """What the program stores at most that comes last of all, or of those along an axis or two, where
            it counts itself in."""
            most: dict[int, int] = {}
            tickets = {
                math.prod(some) - 1 for count in (1, 2, 3) for some in itertools.combinations(sizes, count)
            }
            for ticket in sorted(tickets) if phantom.takes_tickets else ():
                phantom.ticket = ticket
                phantom.begin_program(0)
                self.fn(**named)
                most = {**most, **{one: max(most.get(one, 0), n) for one, n in phantom.stored().items()}}
            phantom.ticket, phantom.takes_tickets = None, False
            return most

    return Walking
