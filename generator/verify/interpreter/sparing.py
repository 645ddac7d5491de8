"""Spares Triton's interpreter what it makes anew for every value: types, shapes, and wrappers around both.

Every operation of every program makes a value whose type and shape depend on nothing else. Made once and
shared they are the same: the calls of a softmax take a fifth less time for it, those of a scan half.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from triton.language import core
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as triton_interpreter

from .effort import effort

Init = Callable[..., None]


def spare_repetition() -> None:
    """Patch the interpreter of this process; there is no way back, so only a child process does this."""
    triton_interpreter.TensorHandle.__init__ = _quickly_made(triton_interpreter.TensorHandle.__init__)
    triton_interpreter._patch_attr = _straight(triton_interpreter._patch_attr)
    triton_interpreter._get_np_dtype = _kept_dtypes(triton_interpreter._get_np_dtype)
    core.block_type.__init__ = _kept_types(core.block_type.__init__)
    core.tensor.__init__ = _kept_shapes(core.tensor.__init__)
    core._unwrap_if_constexpr = _quick_unwrap(core._unwrap_if_constexpr)
    core.block_type.to_ir = _kept_ir(core.block_type.to_ir)
    triton_interpreter._patch_builtin = _patching_known(triton_interpreter._patch_attr)
    TritonSemantic.broadcast_impl_value = _alike_as_they_are(TritonSemantic.broadcast_impl_value)
    TritonSemantic.binary_op_type_checking_impl = _of_one_type(TritonSemantic.binary_op_type_checking_impl)


def _quickly_made(make: Init) -> Init:
    """What holds a value; nothing is said of numpy's elements that are no wider than Triton's."""

    def made(self: Any, data: Any, dtype: Any, *attr: Any, **named: Any) -> None:
        if attr or named or dtype.is_ptr() or data.itemsize * 8 > dtype.primitive_bitwidth:
            make(self, data, dtype, *attr, **named)
        else:
            self.data, self.dtype, self.attr = data, dtype, {}

    return made


def _straight(patch: Callable[..., None]) -> Callable[..., None]:
    """Triton's functions wrap others in one that sees that they are given the semantic; the interpreter gives
    it, and calls them without."""

    def patched(package: Any, name: str, member: Any, builder: Any, scope: Any) -> None:
        if getattr(member, "__code__", None) is not _CHECKED:
            patch(package, name, member, builder, scope)
            return
        plain = member.__wrapped__
        semantic = triton_interpreter.interpreter_semantic

        def called(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
            return plain(*args, **kwargs, _semantic=semantic)

        scope.set_attr(package, name, called)

    return patched


_CHECKED = core.builtin(lambda _semantic=None: None).__code__
"""Of what `core.builtin` makes of any function."""


def _kept_dtypes(look_up: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """numpy's type of a Triton type, by the name of its scalar."""
    kept: dict[str, Any] = {}

    def found(dtype: Any) -> Any:
        name = dtype.scalar.name
        if name not in kept:
            kept[name] = look_up(dtype)
        return kept[name]

    return found


def _kept_types(make: Init) -> Init:
    """A block type is as the first of its element type and shape, which holds the element type alive; its
    shape is the first of its sizes."""
    kept: dict[Any, dict[str, Any]] = {}
    shapes: dict[tuple[int, ...], Any] = {}

    def made(self: Any, element_ty: Any, shape: Any) -> None:
        key = id(element_ty), tuple([getattr(size, "value", size) for size in shape])
        if key not in kept:
            make(self, element_ty, shape)
            self.shape = shapes.setdefault(key[1], self.shape)
            kept[key] = dict(vars(self))
        else:
            vars(self).update(kept[key])

    return made


def _kept_shapes(make: Init) -> Init:
    """A tensor shares shape and count of elements of the first of its shape; each adds to the effort."""
    kept: dict[int, tuple[Any, Any, Any, int]] = {}  # by the shape of a type, which is held so

    def made(self: Any, handle: Any, type: Any) -> None:
        given = type.shape if type.is_block() else None
        known = kept.get(id(given))
        if known is None:
            make(self, handle, type)
            lanes = math.prod(map(int, () if given is None else given))
            known = kept[id(given)] = given, self.shape, self.numel, lanes
        else:
            self.handle, self.type, self.dtype = handle, type, type.scalar
            _, self.shape, self.numel, _ = known
        effort.values += 1
        effort.lanes += known[3]

    return made


def _kept_ir(to_ir: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What the interpreter's builder makes of a block type, by its name, which tells all of it."""
    kept: dict[str, Any] = {}

    def found(self: Any, builder: Any) -> Any:
        if self.name not in kept:
            kept[self.name] = to_ir(self, builder)
        return kept[self.name]

    return found


def _patching_known(patch: Callable[..., None]) -> Callable[[Any, Any, Any], None]:
    """Each launch, and each helper in it, replaces the same functions of Triton's modules: they are found
    once, by the same ones, and not again where they stand."""
    known: dict[Any, list[tuple[str, Any]]] = {}

    def patched(package: Any, builder: Any, scope: Any) -> None:
        if package not in known:
            members, made = inspect.getmembers(package), _Noted()
            for name, member in members:
                if core.is_builtin(member):
                    patch(package, name, member, builder, made)
            known[package] = made.values
        replaced = known[package]
        if replaced and vars(package).get(replaced[0][0]) is replaced[0][1]:
            return
        for name, value in replaced:
            scope.set_attr(package, name, value)

    return patched


class _Noted:
    """Attributes that were to be set."""

    def __init__(self) -> None:
        self.values: list[tuple[str, Any]] = []

    def set_attr(self, package: Any, name: str, value: Any) -> None:
        self.values.append((name, value))


def _alike_as_they_are(broadcast: Callable[..., Any]) -> Callable[..., Any]:
    """Blocks of one shape, and two numbers, need no broadcasting."""

    def broadcasted(self: Any, lhs: Any, rhs: Any) -> Any:
        one, other = lhs.type, rhs.type
        alike = one.shape is other.shape if one.is_block() and other.is_block() else one is other
        return (lhs, rhs) if alike else broadcast(self, lhs, rhs)

    return broadcasted


def _of_one_type(check: Callable[..., Any]) -> Callable[..., Any]:
    """Two tensors of one type that divisions keep are promoted to none."""
    plain = {"fp32", "fp64", "int32", "int64"}

    def checked(self: Any, lhs: Any, rhs: Any, *given: Any, **named: Any) -> Any:
        both = lhs.__class__ is core.tensor and rhs.__class__ is core.tensor
        if both and lhs.dtype is rhs.dtype and lhs.dtype.name in plain:
            return self.broadcast_impl_value(lhs, rhs)
        return check(self, lhs, rhs, *given, **named)

    return checked


def _quick_unwrap(unwrap: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Most of what is asked is a constant, a number or a tensor."""
    constant, plain = core.constexpr, (int, core.tensor)

    def unwrapped(value: Any) -> Any:
        kind = value.__class__
        return value.value if kind is constant else value if kind in plain else unwrap(value)

    return unwrapped
