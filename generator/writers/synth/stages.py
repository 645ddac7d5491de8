"""Which reductions of a region can share one pass over the data, and in what order the passes come."""

from __future__ import annotations

from dataclasses import dataclass

from .expr import Apply, Builder, Reduce
from .lowering.region import Region


@dataclass(frozen=True)
class Single:
    """One reduction by itself."""

    reduce: int


@dataclass(frozen=True)
class OnlineSoftmax:
    """A running maximum and a running sum of exponentials, rescaled when the maximum grows."""

    peak: int
    total: int
    x: int


@dataclass(frozen=True)
class Welford:
    """A running mean and a running sum of squared deviations."""

    mean: int
    squares: int
    x: int


Item = Single | OnlineSoftmax | Welford


def reductions(region: Region) -> list[int]:
    """All reductions of a region, operands before users."""
    b = region.builder
    return [i for i in b.walk([s.value for s in region.stores]) if isinstance(b.nodes[i], Reduce)]


def find_online_softmax(region: Region) -> list[OnlineSoftmax]:
    """Pairs max(x), sum(exp(x - max(x)))."""
    b, found = region.builder, []
    for number in reductions(region):
        node = b.nodes[number]
        assert isinstance(node, Reduce)
        e = b.nodes[node.arg]
        if node.kind != "sum" or not (isinstance(e, Apply) and e.function == "exp"):
            continue
        away = b.nodes[e.args[0]]
        if not (isinstance(away, Apply) and away.function == "sub"):
            continue
        x, peak = away.args
        high = b.nodes[peak]
        if isinstance(high, Reduce) and high.kind in ("peak", "max") and high.arg == x:
            found.append(OnlineSoftmax(peak, number, x))
    return found


def find_welford(region: Region) -> list[Welford]:
    """Pairs mean = sum(x) / n, sum((x - mean)^2), where the sum of x serves the mean alone."""
    b, found = region.builder, []
    for number in reductions(region):
        node = b.nodes[number]
        assert isinstance(node, Reduce)
        square = b.nodes[node.arg]
        if node.kind != "sum" or not (isinstance(square, Apply) and square.function == "mul"):
            continue
        away = b.nodes[square.args[0]]
        if square.args[0] != square.args[1] or not (isinstance(away, Apply) and away.function == "sub"):
            continue
        x, mean = away.args
        if _is_mean_of(b, mean, x, region):
            found.append(Welford(mean, number, x))
    return found


def _is_mean_of(b: Builder, mean: int, x: int, region: Region) -> bool:
    node = b.nodes[mean]
    if not (isinstance(node, Apply) and node.function == "div"):
        return False
    total = b.nodes[node.args[0]]
    users = [i for i in b.walk([s.value for s in region.stores]) if node.args[0] in b.children(i)]
    return isinstance(total, Reduce) and total.kind == "sum" and total.arg == x and users == [mean]


def plan_stages(region: Region, *, online_softmax: bool, welford: bool) -> list[list[Item]]:
    """Passes over the data, each a list of reductions whose operands earlier passes have finished."""
    b = region.builder
    joint: dict[int, Item] = {}
    if online_softmax:
        for pair in find_online_softmax(region):
            joint[pair.peak] = joint[pair.total] = pair
    if welford:
        for moments in find_welford(region):
            total = b.children(moments.mean)[0]
            joint[total] = joint[moments.squares] = moments
    level: dict[int, int] = {}
    stages: list[list[Item]] = []

    def depth(number: int) -> int:
        if number not in level:
            below = max((depth(c) for c in b.children(number)), default=0)
            own = isinstance(b.nodes[number], Reduce)
            item = joint.get(number)
            if own and item is not None:
                below = depth(item.x)
            level[number] = below + own
        return level[number]

    for number in reductions(region):
        item = joint.get(number, Single(number))
        at = depth(number)
        while len(stages) < at:
            stages.append([])
        if item not in stages[at - 1]:
            stages[at - 1].append(item)
    return stages
