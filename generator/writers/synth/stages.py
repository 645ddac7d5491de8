"""Which reductions of a region can share one pass over the data, and in what order the passes come."""

from __future__ import annotations

from dataclasses import dataclass

from .builder import Builder
from .expr import Apply, Reduce, SizeOf
from .extent import product
from .lowering.region import Region


@dataclass(frozen=True)
class Single:
    """One reduction by itself."""

    reduce: int


@dataclass(frozen=True)
class OnlineSoftmax:
    """A running maximum and a running sum of exponentials, rescaled when the maximum grows.

    `finite` says that an infinite maximum is not subtracted, as in logsumexp, which softmax does.
    """

    peak: int
    total: int
    x: int
    finite: bool = False


@dataclass(frozen=True)
class Moments:
    """A mean and a sum of squared deviations, from sums of the distances to a shift near the mean."""

    mean: int
    squares: int
    x: int


Item = Single | OnlineSoftmax | Moments


def inputs_of(b: Builder, item: Item) -> tuple[int, ...]:
    """What a pass must compute for an item, element by element."""
    return b.children(item.reduce) if isinstance(item, Single) else (item.x,)


def reductions(region: Region) -> list[int]:
    """All reductions of a region, operands before users."""
    b = region.builder
    return [i for i in b.walk(s.value for s in region.stores) if isinstance(b.nodes[i], Reduce)]


def reduce_node(b: Builder, number: int) -> Reduce:
    node = b.nodes[number]
    if not isinstance(node, Reduce):
        raise TypeError(f"expression {number} is {node}, not a reduction")
    return node


def find_online_softmax(region: Region) -> list[OnlineSoftmax]:
    """Pairs max(x), sum(exp(x - max(x)))."""
    b, found = region.builder, []
    for number in reductions(region):
        node = reduce_node(b, number)
        e = b.nodes[node.arg]
        if node.kind != "sum" or not (isinstance(e, Apply) and e.function == "exp"):
            continue
        away = b.nodes[e.args[0]]
        if not (isinstance(away, Apply) and away.function == "sub"):
            continue
        x, shift = away.args
        peak, finite = _peak_of(b, shift)
        high = b.nodes[peak]
        if isinstance(high, Reduce) and high.arg == x and _serves_the_shift_alone(region, peak):
            found.append(OnlineSoftmax(peak, number, x, finite))
    return found


def _peak_of(b: Builder, shift: int) -> tuple[int, bool]:
    """The maximum that is subtracted, and whether only where it is finite."""
    node = b.nodes[shift]
    if isinstance(node, Apply) and node.function == "where":
        return node.args[2], True
    return shift, False


def _serves_the_shift_alone(region: Region, peak: int) -> bool:
    """A running maximum passes over NaN, which the sum then shows; a maximum that is a result may not."""
    kind = reduce_node(region.builder, peak).kind
    return kind == "peak" or (kind == "max" and all(s.value != peak for s in region.stores))


def find_moments(region: Region) -> list[Moments]:
    """Pairs mean = sum(x) / n, sum((x - mean)^2), where the sum of x serves the mean alone."""
    b, found = region.builder, []
    for number in reductions(region):
        node = reduce_node(b, number)
        square = b.nodes[node.arg]
        if node.kind != "sum" or not (isinstance(square, Apply) and square.function == "mul"):
            continue
        away = b.nodes[square.args[0]]
        if square.args[0] != square.args[1] or not (isinstance(away, Apply) and away.function == "sub"):
            continue
        x, mean = away.args
        if b.dtype(x) == "fp32" and _is_mean_of(region, mean, x):
            found.append(Moments(mean, number, x))
    return found


def _is_mean_of(region: Region, mean: int, x: int) -> bool:
    b = region.builder
    node = b.nodes[mean]
    if not (isinstance(node, Apply) and node.function == "div"):
        return False
    total, count = b.nodes[node.args[0]], b.nodes[node.args[1]]
    if not (
        isinstance(total, Reduce) and total.kind == "sum" and total.arg == x and isinstance(count, SizeOf)
    ):
        return False
    roots = [s.value for s in region.stores]
    users = [i for i in b.walk(roots) if node.args[0] in b.children(i)]
    whole = product((b.space.sizes[a] for a in b.space.leaves(total.axes)), b.space.one)
    return count.size == whole and users == [mean] and node.args[0] not in roots


def plan_stages(region: Region, *, online_softmax: bool, shifted_moments: bool) -> list[list[Item]]:
    """Passes over the data, each a list of reductions whose operands earlier passes have finished."""
    b = region.builder
    joint: dict[int, Item] = {}
    if online_softmax:
        for pair in find_online_softmax(region):
            joint[pair.peak] = joint[pair.total] = pair
    if shifted_moments:
        for moments in find_moments(region):
            total = b.children(moments.mean)[0]
            joint[total] = joint[moments.squares] = moments
    level: dict[int, int] = {}
    stages: list[list[Item]] = []
    for number in b.walk(s.value for s in region.stores):
        item = joint.get(number, Single(number))
        is_reduction = isinstance(b.nodes[number], Reduce)
        below = b.children(number) if isinstance(item, Single) else (item.x,)
        level[number] = max((level[c] for c in below), default=0) + is_reduction
        if not is_reduction:
            continue
        while len(stages) < level[number]:
            stages.append([])
        if item not in stages[level[number] - 1]:
            stages[level[number] - 1].append(item)
    return stages
