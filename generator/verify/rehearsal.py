"""Runs a candidate at full size on tensors without memory: the wrapper whole, of each launch a few programs.

What the interpreter could never compute at full size it can still walk through: the wrapper's branches, the
grid, which kernels run in which mode, and the addresses that a program forms. So this tells what judged
shapes cannot: programs that would leave part of the output unwritten, offsets that leave their tensor (in 32
bits, say), and conditions that full size alone meets. Values are not known: loads give a constant. What might
depend on it is claimed only if three different constants agree.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
import torch._dynamo.config  # fake tensors load it, which changes functions that the judge guards
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from .coverage import unwatched
from .interpreter import Launch, Watch, _tensors
from .memory import Addresses, OutOfBoundsError
from .recorder import _EMPTY

_BUDGET_S = 1.5
"""CPU time for one walk through; where it runs out, nothing is claimed."""

_CONTENTS = (0, 1, -1)
_APART = 1 << 40  # bytes between two tensors' addresses


class TimeIsUpError(Exception):
    """The walk takes too long."""


@dataclass
class _Extent:
    name: str
    start: int
    stop: int
    stored: list[Addresses] = field(default_factory=list)
    most: float = 0.0  # elements that all programs so far can have stored


@dataclass(frozen=True)
class Rehearsed:
    """`faults` are (cause, detail); `kernels`, `modes` of `tl.dot` and `configurations` as full size uses
    them; `why_not` is set where the walk did not come to its end."""

    faults: tuple[tuple[str, str], ...] = ()
    kernels: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    why_not: str = ""


class Phantom:
    """Addresses with nothing behind them, in the place of `memory.Memory`."""

    loads_without_other = 0

    def __init__(self, content: int) -> None:
        self.content, self.until = content, time.process_time() + _BUDGET_S
        self.extents: dict[int, _Extent] = {}
        self.fresh: set[int] = set()
        self.faults: list[tuple[str, str]] = []
        self._held: list[Any] = []
        self._reachable: list[_Extent] = []
        self._kernel = ""

    def address(self, tensor: torch.Tensor) -> int:
        return self.of(tensor).start + tensor.storage_offset() * tensor.element_size()

    def of(self, tensor: torch.Tensor) -> _Extent:
        storage = tensor.untyped_storage()
        if storage._cdata not in self.extents:
            self._held.append(storage)
            start = (len(self.extents) + 1) * _APART
            self.extents[storage._cdata] = _Extent("a tensor", start, start + int(storage.nbytes()))
        return self.extents[storage._cdata]

    def begin_launch(self, kernel: str, named: Mapping[str, Any]) -> None:
        self._kernel, self._reachable = kernel, []
        for name, tensor in _tensors(named):
            extent = self.of(tensor)
            extent.name = name
            self._reachable.append(extent)

    def begin_program(self, number: int) -> None:
        for extent in self._reachable:
            extent.stored.clear()

    def stored(self) -> dict[int, int]:
        """Elements that the program has stored, by the start of the tensor."""
        return {
            one.start: int(np.unique(np.concatenate(one.stored)).size)
            for one in self._reachable
            if one.stored
        }

    def load(self, addresses: Addresses, item_bytes: int) -> None:
        self._touch(addresses, item_bytes, "load")

    def store(self, addresses: Addresses, item_bytes: int) -> None:
        self._touch(addresses, item_bytes, "store")

    def atomic(self, addresses: Addresses, item_bytes: int, **_: Any) -> None:
        self._touch(addresses, item_bytes, "store")

    def look(self, addresses: Addresses, **_: Any) -> None:
        """Nothing is ordered here."""

    def _touch(self, addresses: Addresses, item_bytes: int, verb: str) -> None:
        if time.process_time() > self.until:
            raise TimeIsUpError
        if addresses.size == 0:
            return
        inside = np.zeros(addresses.shape, np.bool_)
        for extent in self._reachable:
            mine = (addresses >= extent.start) & (addresses + np.uint64(item_bytes) <= extent.stop)
            if verb == "store" and mine.any():
                extent.stored.append(addresses[mine])
            inside |= mine
        if not inside.all():
            self._refuse(int(addresses[~inside][0]), verb)

    def _refuse(self, address: int, verb: str) -> None:
        nearest = min(self._reachable, key=lambda one: min(abs(address - one.start), abs(address - one.stop)))
        past, before = address - nearest.stop, nearest.start - address
        off = f"{past} bytes past the end" if before < 0 else f"{before} bytes before the start"
        detail = f"{self._kernel} at full size: a {verb} that is not masked off goes {off} of {nearest.name}"
        self.faults.append(("out-of-bounds", detail))
        raise OutOfBoundsError(detail)

    def unwritten(self, outputs: Sequence[torch.Tensor]) -> None:
        """Outputs that all programs together cannot have filled, though nothing else wrote to them."""
        for place, output in enumerate(outputs):
            extent = self.extents.get(output.untyped_storage()._cdata)
            if extent is None or output.untyped_storage()._cdata not in self.fresh or 0 in output.stride():
                continue
            if extent.most < output.numel():
                stored = f"at most {int(extent.most)} of the {output.numel()} elements of output {place}"
                self.faults.append(("unwritten-output", f"at full size its programs store {stored}"))


class _Fakes(FakeTensorMode):
    """Fake tensors that say they are on the card whenever torch itself is not the one to ask."""

    busy = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as in recorder.py

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        _Fakes.busy += 1
        try:
            return self.dispatch(func, types, args, kwargs or {})
        finally:
            _Fakes.busy -= 1


def _device(tensor: Any) -> torch.device:
    if tensor.fake_mode.in_kernel_invocation:
        return torch.device("meta")
    here: torch.device = tensor.fake_device
    return here if _Fakes.busy else torch.device("cuda", 0)


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
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.removeprefix("aten::")
        leaves = [one for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)]
        if name in _EMPTY:
            self.phantom._held += leaves
            self.phantom.fresh |= {one.untyped_storage()._cdata for one in leaves}
        elif not func.is_view:
            self.phantom.fresh -= {one.untyped_storage()._cdata for one in leaves}
        return result


def rehearse(watch: Watch, make: Callable[[], Any], inputs: Sequence[Any], around: Any) -> Rehearsed:
    """Walk through `make()(*inputs)`; `inputs` are (shape, stride, dtype) or values, `around` gives the
    contexts that every call of the candidate is made in."""
    first = _walk(watch, make, inputs, around, _CONTENTS[0])
    if not first.faults or first.why_not:
        return Rehearsed((), first.kernels, first.modes, first.why_not)
    agreed = {cause for cause, _ in first.faults}
    for content in _CONTENTS[1:]:
        agreed &= {cause for cause, _ in _walk(watch, make, inputs, around, content).faults}
    faults = tuple(fault for fault in first.faults if fault[0] in agreed)
    return Rehearsed(faults, first.kernels, first.modes)


def _walk(watch: Watch, make: Any, inputs: Sequence[Any], around: Any, content: int) -> Rehearsed:
    phantom, why_not = Phantom(content), ""
    watch.begin()
    watch.ghost = False
    watch.memory = phantom  # type: ignore[assignment]
    with _in_place_of_memory(watch, phantom), torch.no_grad(), _Fakes(allow_non_fake_inputs=True):
        try:
            model = make()
            held = [_tensor(one) if isinstance(one, tuple) else one for one in inputs]
            with around(), _Fresh(phantom):  # type: ignore[no-untyped-call]
                outputs = [one for one in pytree.tree_leaves(model(*held)) if isinstance(one, torch.Tensor)]
            phantom.unwritten(outputs)
        except Exception as error:
            why_not = _reason(error, phantom)
    kernels = tuple(dict.fromkeys(launch.kernel for launch in watch.launches))
    return Rehearsed(tuple(phantom.faults), kernels, tuple(sorted(watch.dot_precisions)), why_not)


def _reason(error: BaseException, phantom: Phantom) -> str:
    """Why the walk ended early; an access out of bounds is a fault and no reason."""
    while error is not None:
        if isinstance(error, OutOfBoundsError):
            return ""
        if isinstance(error, TimeIsUpError):
            return "time was up"
        if error.__cause__ is None:
            break
        error = error.__cause__
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:200]


def _tensor(form: tuple[Sequence[int], Sequence[int], torch.dtype]) -> torch.Tensor:
    return torch.empty_strided(form[0], form[1], dtype=form[2])


@contextlib.contextmanager
def _in_place_of_memory(watch: Watch, phantom: Phantom) -> Iterator[None]:
    builder = triton_interpreter.interpreter_builder
    kind = type(builder)
    builder.__class__ = _imagining(kind, phantom)
    try:
        with (
            patch.object(triton_interpreter, "GridExecutor", _walking(watch, phantom)),
            patch.object(FakeTensor, "data_ptr", lambda tensor: phantom.address(tensor), create=True),
            patch.object(FakeTensor, "device", property(_device)),
        ):
            yield
    finally:
        builder.__class__ = kind


def _imagining(kind: type[Any], phantom: Phantom) -> type[Any]:
    class Imagining(kind):  # type: ignore[misc]
        def create_masked_load(self, ptrs: Any, mask: Any, other: Any, *_: Any) -> TensorHandle:
            phantom.load(*_lanes(ptrs, mask))
            element = ptrs.get_element_ty()
            dtype = triton_interpreter._get_np_dtype(element)
            content = abs(phantom.content) if dtype.kind in "iub" else phantom.content
            return TensorHandle(np.full(np.shape(ptrs.data), content, dtype), element)

        def create_masked_store(self, ptrs: Any, value: Any, mask: Any, *_: Any) -> None:
            phantom.store(*_lanes(ptrs, mask))

        def create_atomic_rmw(self, op: Any, ptr: Any, val: Any, mask: Any, *_: Any) -> TensorHandle:
            phantom.atomic(*_lanes(ptr, mask))
            return TensorHandle(np.full_like(val.data, abs(phantom.content)), val.dtype.scalar)

        def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, *_: Any) -> TensorHandle:
            phantom.atomic(*_lanes(ptr, None))
            return TensorHandle(np.copy(cmp.data), cmp.dtype.scalar)  # whoever waits is let through

    return Imagining


def _lanes(ptrs: Any, mask: Any) -> tuple[Addresses, int]:
    item_bytes = max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)
    if mask is None:
        return np.ravel(ptrs.data), item_bytes
    addresses, lanes = np.broadcast_arrays(ptrs.data, mask.data)
    return addresses[lanes.astype(np.bool_)], item_bytes


def _walking(watch: Watch, phantom: Phantom) -> type[Any]:
    class Walking(triton_interpreter.GridExecutor):  # type: ignore[misc]
        def __call__(self, *args: Any, **kwargs: Any) -> None:
            watch.launches.append(Launch(self.fn.__name__, ()))
            kept = {name: value for name, value in kwargs.items() if name in self.arg_names}
            named = {**dict(zip(self.arg_names, args, strict=False)), **kept}
            phantom.begin_launch(self.fn.__name__, named)
            bound = inspect.getcallargs(self.fn, *args, **kept)
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
            grid = self.grid(named) if callable(self.grid) else self.grid
            sizes = [int(size) for size in (*grid, 1, 1)[:3]]
            builder = triton_interpreter.interpreter_builder
            builder.set_grid_dim(*sizes)
            if min(sizes) < 1:
                return
            for kinds in itertools.product(*(_kinds(size) for size in sizes)):
                most: dict[int, int] = {}
                for place in _samples([places for _, places in kinds]):
                    builder.set_grid_idx(*place)
                    self.fn(**named)
                    for start, count in phantom.stored().items():
                        most[start] = max(most.get(start, 0), count)
                programs = float(np.prod([float(count) for count, _ in kinds]))
                for extent in phantom.extents.values():
                    extent.most += programs * most.get(extent.start, 0)

    return Walking


def _kinds(size: int) -> list[tuple[int, list[int]]]:
    """The last place of an axis and the others, each as how many there are and which are looked at."""
    if size == 1:
        return [(1, [0])]
    others = sorted({0, (size - 1) // 2, size - 2})
    return [(size - 1, others), (1, [size - 1])]


def _samples(axes: list[list[int]]) -> list[tuple[int, ...]]:
    """The corners of what is looked at along each axis, and its middle; not their product."""
    longest = max(len(places) for places in axes)
    return [tuple(places[min(turn, len(places) - 1)] for places in axes) for turn in range(longest)]
