"""Puts the judge's eyes into Triton's interpreter: every launch, every program and every address is seen.

Also makes run what the interpreter alone refuses: an autotuned kernel (`configurations.py`); and helper
functions are prepared once per launch instead of once per call, which halves its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import triton.language as tl
from torch.utils._python_dispatch import _disable_current_modes
from triton.language.semantic import TritonSemantic
from triton.runtime import autotuner
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.interpreter import TensorHandle

from ..text.coverage import unwatched
from .as_compiled import CompiledBuilder
from .atomics import watched
from .behind import follow, steering
from .blocks import active, backwards, item_bytes_of
from .collective import TreeReduce, TreeScan, waiting
from .configurations import Configurations, tuned_run
from .constants import constants_in, ones_in_tuples, telling_variables
from .effort import effort
from .lanes import disagree, unlike
from .launches import floats_as_tensors, grid_of, patching_names, sizes_of, tensors_in
from .memory import Memory
from .methods import mend_methods
from .numerics import dot_options, indexable, keeping_other, smallest_operands
from .pace import Pace
from .promises import Promises, promising
from .sparing import spare_repetition
from .violations import NotFollowedError


@dataclass(frozen=True)
class Launch:
    """One launch as the candidate asked for it."""

    kernel: str
    grid: tuple[int, ...]


class Watch:
    """What happened on the simulated device since `begin`; `ghost` makes every launch do nothing.

    `otherwise`: as a card may do as well, programs run from the last to the first, unless one waits for
    another (`spins`), and multiply-adds are fused.
    """

    def __init__(self) -> None:
        self.ghost = self.otherwise = False
        self.spins: Callable[[], bool] = lambda: False
        self.tuning = Configurations()
        self.pace = Pace()
        self.unused: set[tuple[str, str]] = set()  # as `Memory` keeps them
        self.promises = Promises(lambda: self.memory)
        self.in_values: set[float] = set()  # numbers known before any load that became floating ones
        self.begin()

    def begin(self) -> None:
        self.memory = Memory(self.unused)
        self.launches: list[Launch] = []
        self.configurations: dict[str, str] = {}
        self.dot_precisions: set[str] = set()
        self.rounded = False  # to fewer bits, or bit by bit
        self.products = 0
        self.prepared: set[Any] = set()
        self._kept: list[Any] = []  # a storage freed during the call could come back at a known address

    def note_value(self, data: Any) -> None:
        """An integer becomes a floating number: remember it if it is one and the same in every lane."""
        if data.size and (data.size == 1 or (data == data.flat[0]).all()):
            self.in_values.add(float(data.flat[0]))

    def note_arguments(self, named: Mapping[str, Any]) -> None:
        self.in_values |= {value for value in named.values() if type(value) is float}

    def know(self, name: str, tensor: torch.Tensor) -> int:
        """Register exactly the bytes from this view's first element to its last; returns where they start."""
        if tensor.numel() > 0:
            reach = sum(
                (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
            )
            self.memory.register(
                name, tensor.data_ptr(), (reach + 1) * tensor.element_size(), tensor.element_size()
            )
            self._kept.append(tensor.untyped_storage())
        return tensor.data_ptr()

    def know_argument(self, name: str, tensor: torch.Tensor) -> int:
        """A launch argument: part of a tensor known already, or a storage the candidate made itself."""
        address = tensor.data_ptr()
        for extent in self.memory.extents.values():
            if extent.start <= address < extent.stop:
                return extent.start
        storage = tensor.untyped_storage()
        self.memory.register(name, storage.data_ptr(), storage.nbytes(), tensor.element_size())
        self._kept.append(storage)
        return storage.data_ptr()


def install(watch: Watch, arch: str) -> None:
    """Patch the interpreter of this process; there is no way back, so only a child process does this."""
    spare_repetition()
    mend_methods()
    builder = triton_interpreter.interpreter_builder
    builder.__class__ = _seeing(watch)
    builder.options = dot_options(arch)
    builder.codegen_fns["min_dot_size"] = smallest_operands(arch)
    TritonSemantic._load_legacy = keeping_other(TritonSemantic._load_legacy)
    triton_interpreter._implicit_cvt = ones_in_tuples(floats_as_tensors(triton_interpreter._implicit_cvt))
    triton_interpreter.InterpretedFunction.rewrite = telling_variables(
        triton_interpreter.InterpretedFunction.rewrite
    )
    triton_interpreter.ReduceOps = waiting(TreeReduce, lambda: watch.memory.wait())
    triton_interpreter.ScanOps = waiting(TreeScan, lambda: watch.memory.wait())
    triton_interpreter._patch_lang_tensor = steering(indexable(triton_interpreter._patch_lang_tensor))
    triton_interpreter._patch_lang_core = promising(triton_interpreter._patch_lang_core, watch.promises)
    triton_interpreter._patch_lang = patching_names(triton_interpreter._patch_lang)
    triton_interpreter.GridExecutor = _reporting(watch)
    triton_interpreter.InterpretedFunction.__call__ = _calling_helpers(watch)
    autotuner.Autotuner.run = tuned_run(
        watch.tuning, lambda kernel, config: watch.configurations.update({kernel: config})
    )


def _seeing(watch: Watch) -> type[CompiledBuilder]:
    class SeeingBuilder(CompiledBuilder):
        other_given = False

        @property
        def fused(self) -> bool:  # type: ignore[override]
            return watch.otherwise

        def set_grid_dim(self, nx: int, ny: int, nz: int) -> None:
            super().set_grid_dim(nx, ny, nz)
            name = watch.launches[-1].kernel
            watch.launches[-1] = Launch(name, (nx, ny, nz))

        def set_grid_idx(self, x: int, y: int, z: int) -> None:
            nx, ny, nz = self.grid_dim
            if watch.otherwise and not watch.spins():
                x, y, z = nx - 1 - x, ny - 1 - y, nz - 1 - z
            super().set_grid_idx(x, y, z)
            effort.programs += 1
            watch.memory.begin_program((x * ny + y) * nz + z)

        def create_masked_load(
            self,
            ptrs: TensorHandle,
            mask: TensorHandle,
            other: Any,
            cache_modifier: Any,
            eviction_policy: Any,
            is_volatile: bool,
        ) -> TensorHandle:
            if not isinstance(mask, TensorHandle):  # of a block pointer that pads with nothing
                mask = TensorHandle(np.asarray(mask), tl.int1)
            behind, stored = watch.memory.load(*active(ptrs, mask))
            if other is None and self.other_given:
                other = TensorHandle(
                    np.zeros_like(ptrs.data, dtype=triton_interpreter._get_np_dtype(ptrs.get_element_ty())),
                    ptrs.get_element_ty(),
                )
            if other is None and not mask.data.all():
                watch.memory.loads_without_other += 1
            found = super().create_masked_load(
                ptrs, mask, other, cache_modifier, eviction_policy, is_volatile
            )
            if behind:
                follow(found, behind, lambda told: watch.memory.note("race", told), stored)
            return found

        def create_masked_store(
            self, ptrs: TensorHandle, value: TensorHandle, mask: TensorHandle, *rest: Any
        ) -> Any:
            addresses, item_bytes, lanes = active(ptrs, mask)
            watch.memory.store(addresses, item_bytes, lanes, lambda: unlike(addresses, value.data, lanes))
            if disagree(addresses, value.data, lanes):
                watch.memory.note("race", "lanes of one store give unlike values to one address")
            return super().create_masked_store(ptrs, value, mask, *rest)

        def create_atomic_rmw(
            self, op: Any, ptr: TensorHandle, val: TensorHandle, mask: TensorHandle, *rest: Any
        ) -> Any:
            (addresses, item_bytes, lanes), counts = active(ptr, mask), not str(op).endswith("XCHG")
            watch.memory.expect_inside(addresses, item_bytes)
            if watch.otherwise:  # nothing says which lane comes first
                ptr, val, mask = (backwards(one) for one in (ptr, val, mask))
            found = super().create_atomic_rmw(op, ptr, val, mask, *rest)
            found = backwards(found) if watch.otherwise else found
            return watched(watch.memory, found, addresses, item_bytes, lanes, rest, counts)

        def create_atomic_cas(
            self, ptr: TensorHandle, cmp: TensorHandle, val: TensorHandle, *rest: Any
        ) -> Any:
            addresses, item_bytes = np.ravel(ptr.data), item_bytes_of(ptr)
            watch.memory.expect_inside(addresses, item_bytes)
            found = super().create_atomic_cas(ptr, cmp, val, *rest)
            everywhere = np.ones(np.shape(ptr.data), np.bool_)
            return watched(watch.memory, found, addresses, item_bytes, everywhere, rest, False)

        def create_gather(self, src: TensorHandle, indices: TensorHandle, axis: int) -> TensorHandle:
            inside = (indices.data >= 0) & (indices.data < src.data.shape[axis])
            if not inside.all():
                watch.memory.note("out-of-bounds", "a gather takes lanes that its block does not have")
            return super().create_gather(src, TensorHandle(indices.data * inside, indices.dtype), axis)

        def create_int_to_ptr(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
            """Where the tensor behind an address that was loaded begins and ends, no argument tells."""
            if not watch.memory.holds(np.ravel(src.data)).all():
                raise NotFollowedError("it makes pointers of numbers (an array of addresses, say)")
            return super().create_int_to_ptr(src, dst_type)

        def create_barrier(self) -> None:
            watch.memory.wait()

        def create_fp_trunc(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
            watch.rounded = True
            return super().create_fp_trunc(src, dst_type)

        def create_fp_to_fp(self, src: TensorHandle, dst_type: Any, rounding_mode: Any) -> TensorHandle:
            watch.rounded = True
            return super().create_fp_to_fp(src, dst_type, rounding_mode)

        def create_bitcast(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
            watch.rounded = watch.rounded or not src.dtype.scalar.is_ptr()  # as those to truths are
            return super().create_bitcast(src, dst_type)

        def create_si_to_fp(self, src: TensorHandle, dst_type: Any) -> TensorHandle:
            watch.note_value(src.data)
            return self.cast_impl(src, dst_type)

        create_ui_to_fp = create_si_to_fp

        def create_dot(
            self, a: TensorHandle, b: TensorHandle, d: TensorHandle, precision: Any, most: int
        ) -> Any:
            if a.data.dtype == np.float32:
                watch.dot_precisions.add(str(precision).rsplit(".", 1)[-1].lower())
            watch.products += 2 * d.data.size * a.data.shape[-1]
            watch.memory.wait()
            return super().create_dot(a, b, d, precision, most)

        def create_fmul(self, lhs: TensorHandle, rhs: TensorHandle) -> TensorHandle:
            watch.products += 2 * max(lhs.data.size, rhs.data.size)
            return super().create_fmul(lhs, rhs)

        def create_fma(self, x: TensorHandle, y: TensorHandle, z: TensorHandle) -> TensorHandle:
            watch.products += 2 * z.data.size
            return super().create_fma(x, y, z)

    return SeeingBuilder


def _reporting(watch: Watch) -> type[Any]:
    class ReportingExecutor(triton_interpreter.GridExecutor):  # type: ignore[misc]
        def __call__(self, *args: Any, **kwargs: Any) -> None:
            watch.launches.append(Launch(self.fn.__name__, ()))
            if watch.ghost:
                return
            self.grid, self.constexprs = grid_of(self, args, kwargs), constants_in(self, args, kwargs)
            began = watch.pace.begin(self.fn.__name__, self.grid)
            named = {**dict(zip(self.arg_names, args, strict=False)), **kwargs}
            watch.note_arguments(named)
            watch.promises.begin_launch((self.fn.__name__, sizes_of(named)))
            starts = [watch.know_argument(name, tensor) for name, tensor in tensors_in(named)]
            watch.memory.begin_launch(self.fn.__name__, starts)
            watch.prepared.clear()
            unseen = _disable_current_modes(), torch._C.DisableTorchFunction()
            with unseen[0], unseen[1], unwatched(), np.errstate(all="ignore"):
                super().__call__(*args, **kwargs)
            watch.promises.end_launch()
            watch.pace.end(self.fn.__name__, self.grid, began)

    return ReportingExecutor


def _calling_helpers(watch: Watch) -> Any:
    def call(function: Any, *args: Any, **kwargs: Any) -> Any:
        if function.fn not in watch.prepared:
            watch.prepared.add(function.fn)
            triton_interpreter._patch_lang(function.fn)
        return function.rewrite()(*args, **kwargs)

    return call
