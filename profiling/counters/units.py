"""Converts between the spellings that tools use for one unit: "Gbyte/s", "cycle/nsecond", "usecond", "%"."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

_PREFIXES = {"K": 3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}  # decimal, as Nsight Compute counts them
_SECONDS = {
    **dict.fromkeys(("s", "second", "seconds", "sec"), 0),
    **dict.fromkeys(("ms", "msecond", "msec"), -3),
    **dict.fromkeys(("us", "usecond", "usec", "µs", "μs"), -6),
    **dict.fromkeys(("ns", "nsecond", "nsec"), -9),
}
_BYTES = {"byte", "bytes", "B"}
_BINARY = {"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}
_BASE = {"s": Decimal("1e-9")}  # the factor of the unit that Nsight Compute counts in, where it is not 1
_COUNTS = frozenset(
    [
        *(
            "block",
            "branch",
            "cluster",
            "count",
            "cycle",
            "inst",
            "instruction",
            "ratio",
            "register",
            "request",
        ),
        *(
            "sample",
            "sector",
            "thread",
            "transaction",
            "warp",
            "wavefront",
            "pass",
            "passes",
            "branches",
            "SM",
        ),
    ]
)


@dataclass(frozen=True)
class Unit:
    """`factor` base units of one `dimension`: "byte", "s", "%", "" for counts, and these per "s"."""

    dimension: str
    factor: Decimal


@lru_cache(maxsize=512)
def unit(spelling: str) -> Unit | None:
    """What a spelling means, None where it is not known. Counts are one dimension, whatever is counted, and a
    rate per count is what it is a rate of: byte/sector is bytes, cycle/nsecond a frequency."""
    above, _, below = spelling.strip().partition("/")
    over = _word(above)
    if over is None or not below:
        return over
    under = _word(below)
    if under is None or under.dimension not in ("", "s"):
        return None
    if under.dimension == "":
        return over if under.factor == 1 else None
    if over.dimension not in ("", "byte"):
        return None
    return Unit(f"{over.dimension}/s", over.factor / under.factor)


def converted(value: Decimal, found: str, wanted: str) -> Decimal | None:
    """`value` from the unit `found` in the unit `wanted`; None where one is unknown or they do not match."""
    source, target = unit(found), unit(wanted)
    if source is None or target is None or source.dimension != target.dimension:
        return None
    return value * source.factor / target.factor


def scalable(spelling: str) -> bool:
    """Whether tools scale values of this unit to a larger one by themselves; so for what is not known."""
    known = unit(spelling)
    return known is None or known.dimension not in ("", "%")


def scaled(spelling: str) -> bool:
    """Whether the unit is not the one that Nsight Compute counts in, so that it has scaled the value."""
    known = unit(spelling)
    return known is not None and known.factor != _BASE.get(known.dimension, 1)


def _word(word: str) -> Unit | None:
    """A unit without a fraction bar."""
    word = word.strip()
    if word in ("%", "percent"):
        return Unit("%", Decimal(1))
    if word in _SECONDS:
        return Unit("s", Decimal(1).scaleb(_SECONDS[word]))
    if word in _BINARY:
        return Unit("byte", Decimal(1 << _BINARY[word]))
    for prefix, stem in (("", word), (word[:1], word[1:])):
        if prefix and prefix not in _PREFIXES:
            continue
        factor = Decimal(1).scaleb(_PREFIXES.get(prefix, 0))
        if stem in _BYTES:
            return Unit("byte", factor)
        if stem.lower() == "hz":
            return Unit("/s", factor)
        if not word or stem in _COUNTS or stem.removesuffix("s") in _COUNTS:
            return Unit("", factor)
    return None
