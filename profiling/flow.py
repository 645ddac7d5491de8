"""Finds the loops of an assembly listing: how deep in them each of its lines lies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Syntax:
    """Regular expressions of one assembly; `label` and `jump` capture the label's name.

    `always` matches a jump that is taken without a condition, `end` what leaves the kernel.
    """

    label: re.Pattern[str]
    jump: re.Pattern[str]
    always: re.Pattern[str]
    end: re.Pattern[str]


PTX = Syntax(
    label=re.compile(r"^\s*(\$?[\w$]+):\s*(?://.*)?$"),
    jump=re.compile(r"^\s*(?:@!?%\w+\s+)?bra(?:\.uni)?\s+([\w$]+)\s*;"),
    always=re.compile(r"^\s*bra\b"),
    end=re.compile(r"^\s*(?:ret|exit|trap)\s*;"),
)
AMDGCN = Syntax(
    label=re.compile(r"^(\.?\w+):"),
    jump=re.compile(r"^\s*s_c?branch\w*\s+(\.?\w+)"),
    always=re.compile(r"^\s*s_branch\b"),
    end=re.compile(r"^\s*s_endpgm\b"),
)


@dataclass
class _Block:
    """Lines that run one after another; `to` names the labels it may jump to."""

    lines: int = 0
    to: list[str] = field(default_factory=list)
    falls_through: bool = True


def loop_depths(lines: Iterable[str], syntax: Syntax) -> list[int]:
    """For every line the number of loops around it: strongly connected parts of the flow, nested by entry."""
    blocks, labels = _blocks(lines, syntax)
    after = [
        {labels[name] for name in block.to if name in labels}
        | ({number + 1} if block.falls_through and number + 1 < len(blocks) else set())
        for number, block in enumerate(blocks)
    ]
    depth = [0] * len(blocks)
    pending = [set(range(len(blocks)))]
    while pending:
        inside = pending.pop()
        for loop in _loops(inside, after):
            for number in loop:
                depth[number] += 1
            entries = {b for a in inside - loop for b in after[a] & loop} or {min(loop)}
            pending.append(loop - entries)
    return [depth[number] for number, block in enumerate(blocks) for _ in range(block.lines)]


def _blocks(lines: Iterable[str], syntax: Syntax) -> tuple[list[_Block], dict[str, int]]:
    blocks, labels = [_Block()], dict[str, int]()
    for line in lines:
        if label := syntax.label.match(line):
            blocks.append(_Block())
            labels[label[1]] = len(blocks) - 1
        blocks[-1].lines += 1
        jump = syntax.jump.match(line)
        if jump:
            blocks[-1].to.append(jump[1])
        if jump or syntax.end.match(line):
            blocks[-1].falls_through = bool(jump) and not syntax.always.match(line)
            blocks.append(_Block())
    return blocks, labels


def _loops(inside: set[int], after: list[set[int]]) -> Iterator[set[int]]:
    """Parts of `inside` whose blocks all reach one another (Kosaraju), single ones only with a self-loop."""
    before: dict[int, set[int]] = {b: set() for b in inside}
    for a in inside:
        for b in after[a] & inside:
            before[b].add(a)
    order: list[int] = []
    seen: set[int] = set()
    for start in inside:
        order += _finished(start, lambda b: after[b] & inside, seen)
    placed: set[int] = set()
    for start in reversed(order):
        part = set(_finished(start, before.__getitem__, placed))
        if len(part) > 1 or any(b in after[b] for b in part):
            yield part


def _finished(start: int, following: Callable[[int], set[int]], seen: set[int]) -> list[int]:
    """What a walk from `start` reaches that was not seen, in the order in which it is done with it."""
    found: list[int] = []
    stack = [] if start in seen else [(start, iter(following(start)))]
    seen.add(start)
    while stack:
        block, rest = stack[-1]
        fresh = next((b for b in rest if b not in seen), None)
        if fresh is None:
            found.append(block)
            stack.pop()
        else:
            seen.add(fresh)
            stack.append((fresh, iter(following(fresh))))
    return found
