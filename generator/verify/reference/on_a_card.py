"""Bends torch's operators on the CPU to what a card computes: products on rounded operands, running sums in
float32; and says how many products an operator adds up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..interpreter.lowfloat import tf32
from .eight_bits import scaled_product
from .growth import CHAIN
from .operators import plain_name


class RoundedProducts(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Matrix products and convolutions on operands rounded to a class, accumulated in float32."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and True would import torch._dynamo

    def __init__(self, precision: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.keep = _ROUNDINGS[precision]

    def __enter__(self) -> None:
        super().__enter__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func._schema.name.removeprefix("aten::")
        if name in PRODUCTS and name != "_scaled_mm":  # whose operands no class rounds
            first, last = PRODUCTS[name]
            args = (*args[:first], *map(self.keep, args[first:last]), *args[last:])
        return func(*args, **(kwargs or {}))


PRODUCTS: Mapping[str, tuple[int, int]] = {
    "mm": (0, 2), "bmm": (0, 2), "addmm": (1, 3), "baddbmm": (1, 3), "mv": (0, 2), "addmv": (1, 3),
    "dot": (0, 2), "convolution": (0, 2), "_scaled_dot_product_flash_attention_for_cpu": (0, 3),
    "_scaled_dot_product_attention_math": (0, 3), "_scaled_mm": (0, 2),
}  # fmt: skip
"""Which arguments are the factors."""


def terms(func: Any, args: Sequence[Any]) -> int:
    """How many products each element of a matrix product's, a convolution's or attention's result adds up at
    most, of equal ones as many as err as much; 1 for other operators."""
    name = _name(func)
    if name not in PRODUCTS:
        return 1
    first, second = args[slice(*PRODUCTS[name])][:2]
    if name == "convolution":
        outputs = second.shape[1] if args[6] else second.shape[0]  # a transposed one's stand second
        return int(second.numel() // max(1, outputs))
    length = int(max(first.shape[-1], second.shape[-2] if second.ndim > 1 else 1))
    return max(length, _like_equal(_equal_products(first, second))) if length > _EQUAL else length


def _equal_products(first: torch.Tensor, second: torch.Tensor) -> int:
    """As `equal_addends` has it, of the first and the last sum of some of a batch's products in float64."""
    fit = first.ndim in _PLAIN and first.mT.shape[:-1] == second.shape[:-1]
    if not fit or first.dtype != torch.float64 or not first.numel() or not second.numel():
        return 0
    some = slice(None, None, max(1, -(-len(first) // _LOOKED_INTO)))
    left, right = (one[some] if one.ndim > 2 else one for one in (first, second.mT))
    products = left[..., [0, -1], :] * right[..., [0, -1], :]
    ordered = products.sort(-1).values
    again = (ordered[..., 1:] == ordered[..., :-1]) & (ordered[..., 1:] != 0)
    return equal_addends(products, (-1,)) if int(again.sum(-1).max()) >= _EQUAL else 0


_PLAIN, _LOOKED_INTO = (2, 3), 4
"""Axes of a matrix product's operands, and products of a batch that are looked at."""

_LIKE_PRODUCTS = 2
"""Terms of a plain sum that err as one of a sum of products does. One lane that adds 4097 squares in float32
was off by 0.6e-6 in the median of 400 draws, by more than 2e-6 in 3 of 100, and by 2.9e-6 at most."""

_SUMS = {
    "sum": 1, "mean": 1, "_softmax": 1, "_log_softmax": 1, "logsumexp": 1, "norm": 2, "linalg_vector_norm": 2,
}  # fmt: skip
"""Where the dimensions stand among the arguments of what adds up: a softmax divides by a sum, too, and a
norm is the root of one."""

_AT_PLACES = frozenset(("index_add", "scatter_add"))


_EQUAL, _MOST_EQUAL = 16, 4096
"""Equal numbers added one after another within the floor of float32, and the most that are given more for it:
what each addition rounds away has one sign then, at most 2**-24 of the sum, a millionth in 16 of them. In the
median of 300 draws of three numbers 500 times each it was a millionth for 77 of one, and for 28 at most; of
24 numbers, whose sum is less of what is added, for 31, and in one draw of ten for 18."""

_ALIKE = 1 / 64
"""Of the larger one, by which numbers may differ that count as equal."""

_BITS = 23
"""Of a float32, behind its first: what is a multiple of a sum's last place is added without rounding."""


def equal_addends(value: torch.Tensor, dims: tuple[int, ...]) -> int:
    """The most numbers that are alike and not zero, of those that a sum along `dims` adds up for one element
    of its result, where all of them are, or of few numbers that recur the most of one; 0 where float32 holds
    every part of the sum, as of ones."""
    if not value.numel() or not value.is_floating_point():
        return 0
    size, there = value.abs(), value != 0
    most, left, all_of_it = size.amax(dims), value.sum(dims).abs(), size.sum(dims)
    least = size.masked_fill(~there, torch.inf).amin(dims)
    last_place = torch.exp2(size.sum(dims, keepdim=True).log2().floor() - _BITS)
    rounding = there & (size % last_place != 0)
    alike = (left == all_of_it) & (rounding.sum(dims) > 0) & (least >= (1 - _ALIKE) * most)
    recurring = torch.where(left >= _LEFT * all_of_it, _most_of_one(value, dims, rounding), 0)
    counts = torch.where(alike, there.sum(dims), recurring)
    return min(int(counts.max()), _MOST_EQUAL)


_LEFT, _FEW_NUMBERS = 1 / 16, 8
"""Of what is added up, what is left where it does not cancel; and how often numbers recur that are few."""

_LOOKED_AT = 4096
"""Of the first sum's numbers, before all are sorted: of more than so many, length gives a sum its room."""


def _most_of_one(value: torch.Tensor, dims: tuple[int, ...], counted: torch.Tensor) -> torch.Tensor:
    """How often the most frequent of the `counted` numbers stands among those of each sum: of rows of a table
    that are named again and again, and zero where they are not few."""
    kept = [dim for dim in range(value.ndim) if dim not in [one % value.ndim for one in dims]]
    order = (*kept, *(dim % value.ndim for dim in dims))
    alone = (0,) * len(kept)
    first, told = (one.permute(order)[alone].reshape(-1)[:_LOOKED_AT] for one in (value, counted))
    if not counted.any() or torch.unique(first[told]).numel() * _FEW_NUMBERS > first.numel():
        return torch.zeros([value.shape[dim] for dim in kept], dtype=torch.int64)
    rows = value.masked_fill(~counted, torch.nan).permute(order).flatten(len(kept))
    ordered = rows.sort(-1).values
    begins = torch.ones(rows.shape, dtype=torch.bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    places = torch.arange(rows.shape[-1]).expand(rows.shape)
    runs = places - torch.where(begins, places, 0).cummax(-1).values + 1
    few = (begins & ~ordered.isnan()).sum(-1) * _FEW_NUMBERS <= rows.shape[-1]
    return runs.where(~ordered.isnan(), 0).amax(-1).where(few, 0)


def added(func: Any, args: Sequence[Any]) -> int:
    """What a sum, a mean, a norm or a softmax's denominator adds up for each element of its result, as so
    many products, of equal numbers as many as err as much; 1 for others."""
    name = plain_name(func)
    if (each := _each_loss(func, args)) is not None:
        return _in_all(each, range(each.ndim), plainly=True)
    place = _SUMS.get(name)
    if place is None or not args[0].ndim:
        return 1
    dims = args[place] if len(args) > place else None
    dims = [dims] if isinstance(dims, int) else dims
    return _in_all(args[0], dims or range(args[0].ndim), plainly=name in ("sum", "mean"))


def added_at_places(func: Any, args: Sequence[Any]) -> int:
    """What is added at places that integers name, most often at one of them, one after another; 1 for other
    operators, and for whole numbers, which round nothing."""
    name = plain_name(func)
    if name not in _AT_PLACES or not args[2].numel() or not args[0].is_floating_point():
        return 1
    into, dim, index = args[:3]
    if name == "index_add":
        return int(index.reshape(-1).long().bincount().max())
    counts = torch.zeros(into.shape, dtype=torch.int64)
    return max(1, int(counts.scatter_add(dim, index, torch.ones_like(index)).max()))


def _in_all(value: torch.Tensor, dims: Sequence[int], plainly: bool) -> int:
    count = int(prod(value.shape[dim] for dim in dims))
    equal = equal_addends(value, tuple(dims)) if plainly and count > _EQUAL else 0
    return max(1, count // _LIKE_PRODUCTS, _like_equal(equal))


def _like_equal(count: int) -> int:
    """Terms of a sum of products that err as so many equal numbers do."""
    return round(CHAIN * (count / _EQUAL) ** 2)


def _each_loss(func: Any, args: Sequence[Any]) -> torch.Tensor | None:
    """What a loss takes the sum or the mean of; None for other operators."""
    place = _place_of_reduction(func)
    if place is None or (args[place] if len(args) > place else _MEAN) == _NONE:
        return None
    none: dict[str, Any] = {"reduction": _NONE} if len(args) <= place else {}
    result = func(*args, **none) if none else func(*args[:place], _NONE, *args[place + 1 :])
    each = result[0] if isinstance(result, tuple) else result
    return each if each.ndim else None


_NONE, _MEAN = 0, 1
"""As ATen numbers what a loss makes of its values."""


@cache
def _place_of_reduction(func: Any) -> int | None:
    named = [one.name for one in func._schema.arguments]
    return named.index("reduction") if "reduction" in named else None


_ROUNDED = {
    *PRODUCTS, "sum", "mean", "var", "std", "var_mean", "norm", "linalg_vector_norm", "logsumexp", "cumsum",
    "cumprod", "prod", "_softmax", "_log_softmax", "native_layer_norm", "native_group_norm",
    "native_batch_norm", "_native_batch_norm_legit", "div", "reciprocal", "pow", "sqrt", "rsqrt", "exp",
    "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "atan", "sinh", "cosh", "erf",
    "erfc", "sigmoid", "tanh", "log_sigmoid_forward", "softplus", "gelu", "silu", "mish", "elu",
    "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "avg_pool2d", "avg_pool3d",
}  # fmt: skip


def rounds(func: Any) -> bool:
    """Whether an operator's result depends on how it is computed: sums, quotients, exponentials and such."""
    return plain_name(func) in _ROUNDED


@cache
def _name(func: Any) -> str:
    """Of an ATen operator, that of one that works in place with its underscore."""
    name: str = func._schema.name.removeprefix("aten::")
    return name


_ROUNDINGS: Mapping[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "tf32": lambda value: torch.from_numpy(tf32(value.detach().contiguous().numpy())),
    "fp16": lambda value: value.half().float(),
    "bf16": lambda value: value.bfloat16().float(),
}


class AsOnACard(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Running sums and products in float32 as a card takes them, one rounding an element: torch's CPU kernels
    carry float64, beside which no kernel of a card's could stand. Scaled products of 8-bit floats by rows
    too, which torch 2.11 refuses on the CPU."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # as above

    def __enter__(self) -> None:
        super().__enter__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.ops.aten._scaled_mm.default:
            given = dict(zip((one.name for one in func._schema.arguments), args, strict=False))
            wanted = {**given, **(kwargs or {})}.get("out_dtype") or args[0].dtype
            return scaled_product(*args, **(kwargs or {})).to(wanted)
        if func in _TRAPS and not all(one.numel() for one in args if isinstance(one, torch.Tensor)):
            raise RuntimeError("torch 2.11 divides by the number of elements, and ends the process")
        scan = _SCANS.get(func)
        if scan is None or kwargs or args[0].dtype != torch.float32 or args[0].ndim == 0:
            return func(*args, **(kwargs or {}))
        return torch.from_numpy(scan(args[0].detach().numpy(), axis=args[1], dtype=np.float32))


_TRAPS = (torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default,)

_SCANS: Mapping[Any, Callable[..., Any]] = {
    torch.ops.aten.cumsum.default: np.cumsum,
    torch.ops.aten.cumprod.default: np.cumprod,
}
