"""Which axes the matrix products of a region run over, and what may stand in their factors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..builder import Builder
from ..expr import Attend, Contract, Load
from ..space import Axis, CannotFuseError

MOST_PRODUCTS = 2
"""Products of one kernel: each holds a tile of sums in registers."""


@dataclass(frozen=True)
class ProductAxes:
    """Both factors have `batch` and `depth`; the left one has `rows` besides, the right one `cols`.

    `inner` is what the product behind the scores of an attention sums over, `held` what is reduced of the
    results, which a tile holds whole.
    """

    batch: frozenset[Axis]
    rows: frozenset[Axis]
    cols: frozenset[Axis]
    depth: frozenset[Axis]
    inner: frozenset[Axis] = frozenset()
    held: frozenset[Axis] = frozenset()


def product_axes(builder: Builder, live: Iterable[int]) -> ProductAxes | None:
    """The axes that all products share; None without a product. Raises where they differ."""
    found = {n: _axes(builder, node) for n in live if isinstance(node := builder.nodes[n], Contract)}
    if not found:
        return None
    if len(found) > MOST_PRODUCTS:
        raise CannotFuseError(
            f"more than {MOST_PRODUCTS} matrix products do not fit the registers of one kernel"
        )
    if len(set(found.values())) > 1:
        raise CannotFuseError("matrix products over different axes do not share a loop")
    axes = next(iter(found.values()))
    if not axes.rows or not axes.cols:
        raise CannotFuseError("a product of vectors stands beside others")
    return axes


def _axes(builder: Builder, product: Contract) -> ProductAxes:
    depth = frozenset(builder.space.leaves(product.axes))
    left, right = (builder.free_axes(n) for n in (product.left, product.right))
    both = left & right
    if not depth <= both:
        raise CannotFuseError("a factor does not vary along what the product sums over")
    return ProductAxes(both - depth, left - both, right - both, depth)


def check_product(builder: Builder, roots: Sequence[int], axes: ProductAxes) -> None:
    """A factor may hold pointwise work on one large tensor; a second one would be read for every tile."""
    for number in builder.walk(roots):
        product = builder.nodes[number]
        if not isinstance(product, Contract):
            continue
        for factor, side in ((product.left, axes.rows), (product.right, axes.cols)):
            below = [builder.nodes[n] for n in builder.walk([factor])]
            if any(isinstance(node, Contract | Attend) for node in below):
                raise CannotFuseError("a product of a product would be computed once for every tile")
            large = {
                node.buffer
                for n in builder.walk([factor])
                if isinstance(node := builder.nodes[n], Load)
                and builder.free_axes(n) & side
                and builder.free_axes(n) & axes.depth
            }
            if len(large) > 1:
                raise CannotFuseError("several tensors make up a factor and would be read for every tile")
    for number in outside_products(builder, roots):
        if builder.free_axes(number) & axes.depth:
            raise CannotFuseError("a factor of a matrix product is also needed by itself")


def outside_products(builder: Builder, roots: Iterable[int]) -> list[int]:
    """Nodes under the roots that no product hides: the products themselves and what is done with them."""
    return builder.walk(roots, lambda number: not isinstance(builder.nodes[number], Contract | Attend))
