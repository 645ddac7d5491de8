"""Reads PTX and AMDGCN text: how wide the global accesses are, and which instructions give a kernel away.

Counts are static: an instruction inside a loop counts once. Widths are bits per lane and access. The data of
a kernel streams through its innermost loops, so accesses there are told apart from those outside, which run
once a row or once a program: a bias, a row's statistics, the edges of a row. Without a loop all stream.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .flow import AMDGCN, PTX, Syntax, loop_depths

_PTX_GLOBAL = re.compile(
    r"\b(ld|st)\.(?:weak\.|volatile\.|relaxed\.\w+\.)?global(?:\.\w+(?:::\w+)*)*?(?:\.v(\d))?\.[bsuf](\d+)\b"
)
_PTX_ASYNC = re.compile(r"\bcp\.async\.c[ag]\.shared\.global\b[^;]*?\],\s*(0x[0-9a-f]+|\d+)")

_PTX_NOTABLE = {
    "mma": r"\bmma\.sync\b",
    "wgmma": r"\bwgmma\.mma_async\b",
    "tcgen05": r"\btcgen05\.mma\b",
    "tf32": r"\b(?:mma\.sync|wgmma\.mma_async|tcgen05\.mma)\S*tf32",
    "async_copy": r"\bcp\.async\.c[ag]\b",
    "tma": r"\bcp\.async\.bulk\b",
    "fp64": r"\b(?:add|mul|fma|div|sub|mma)\.\S*f64\b",
    "atomic": r"\b(?:atom|red)\.\S*global",
    "shared_atomic": r"\b(?:atom|red)\.shared",
    "local": r"\b(?:ld|st)\.local\b",
    "barrier": r"\bbar(?:rier)?\.(?:cta\.)?sync\b",
    "shuffle": r"\bshfl\.sync\b",
    "special": r"\b(?:ex2|lg2|rsqrt|rcp|sqrt|sin|cos|tanh)\.approx\b",
}

_GCN_ACCESS = re.compile(
    r"^\s*(?:global|buffer|flat)_(load|store)_"
    r"(?:lds_)?(?:d16_)?(?:hi_)?([usbi]*(?:byte|short|dword)|[bui]\d+)(?:x(\d))?(?:_d16)?(?:_hi)?\b(?!.*Folded)",
    re.MULTILINE,
)
_GCN_WORD_BITS = {"byte": 8, "short": 16, "dword": 32}

_GCN_NOTABLE = {
    "mfma": r"^\s*v_s?mfmac?_",
    "wmma": r"^\s*v_s?wmmac?_",
    "tf32": r"^\s*v_mfma_\S*xf32",
    "async_copy": r"^\s*(?:global|buffer)_load_\S*lds\b|^\s*buffer_load_\S+.*\blds\b",
    "fp64": r"^\s*v_(?:add|mul|fma|mfma)_\S*f64",
    "atomic": r"^\s*(?:global|buffer|flat)_atomic_",
    "shared_atomic": r"^\s*ds_(?:add|max|min|cmpst|cmpstore)_",
    "local": r"^\s*scratch_(?:load|store)_|Folded (?:Spill|Reload)",
    "barrier": r"^\s*s_barrier\b",
    "shuffle": r"^\s*ds_bpermute_|^\s*ds_swizzle_|_dpp\b|^\s*v_permlane",
    "special": r"^\s*v_(?:exp|log|rcp|rsq|sqrt|sin|cos)_",
}


@dataclass(frozen=True)
class IsaReading:
    """Accesses to global memory by width in bits, and notable instructions by kind (only those found).

    `load_bits` and `store_bits` are the streaming accesses, `outside_bits` the others, loads and stores.
    """

    load_bits: dict[int, int]
    store_bits: dict[int, int]
    outside_bits: dict[int, int]
    instructions: dict[str, int]

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> IsaReading:
        """What `dataclasses.asdict` gave, through JSON, whose keys are text, or not."""
        widths = ("load_bits", "store_bits", "outside_bits")
        by_width = {name: {int(bits): n for bits, n in raw[name].items()} for name in widths}
        return cls(**by_width, instructions=dict(raw["instructions"]))


def read_ptx(text: str) -> IsaReading:
    """Widths of ld/st.global (vector length x element) and cp.async; TMA copies are counted, not measured."""
    return _reading(text, PTX, _ptx_accesses, _PTX_NOTABLE)


def read_amdgcn(text: str) -> IsaReading:
    """Widths of global, buffer and flat accesses, in the spelling of gfx9 (dwordx4) and of gfx11 (b128)."""
    return _reading(text, AMDGCN, _gcn_accesses, _GCN_NOTABLE)


def _reading(
    text: str, syntax: Syntax, accesses: Callable[[str], Iterator[tuple[str, int]]], notable: dict[str, str]
) -> IsaReading:
    lines = text.splitlines()
    found = [
        (depth, kind, bits)
        for line, depth in zip(lines, loop_depths(lines, syntax), strict=True)
        for kind, bits in accesses(line)
    ]
    innermost = max((depth for depth, _, _ in found), default=0)
    counts = {kind: Counter[int]() for kind in ("load", "store", "outside")}
    for depth, kind, bits in found:
        counts[kind if depth == innermost else "outside"][bits] += 1
    return IsaReading(
        dict(counts["load"]), dict(counts["store"]), dict(counts["outside"]), _notable(text, notable)
    )


def _ptx_accesses(line: str) -> Iterator[tuple[str, int]]:
    for access, length, element in _PTX_GLOBAL.findall(line):
        yield ("load" if access == "ld" else "store"), int(length or 1) * int(element)
    for size_bytes in _PTX_ASYNC.findall(line):
        yield "load", int(size_bytes, 0) * 8


def _gcn_accesses(line: str) -> Iterator[tuple[str, int]]:
    for access, element, length in _GCN_ACCESS.findall(line):
        yield access, _gcn_bits(element) * int(length or 1)


def _gcn_bits(element: str) -> int:
    word = next((bits for word, bits in _GCN_WORD_BITS.items() if element.endswith(word)), None)
    return word if word is not None else int(element.lstrip("bui"))


def _notable(text: str, patterns: dict[str, str]) -> dict[str, int]:
    counts = {kind: len(re.findall(pattern, text, re.MULTILINE)) for kind, pattern in patterns.items()}
    return {kind: count for kind, count in counts.items() if count}
