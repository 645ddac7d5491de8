"""Judges a module in both of its modes, training and evaluating, unless the candidate refuses one in words.

The mode that the op file ships is judged always. Where the reference's answer, or what it leaves in its
buffers, differs in the other one, the candidate is judged there too, whether it asks for its mode or not,
unless it refuses in words that name the mode; the verdict says what was judged.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

import torch

from ..comparison.review import Reviewed
from ..inputs.draw import Draw
from ..inputs.setting import Case, Setting
from ..reference.model_copy import copied_model
from ..reference.oracle import Reference

_FAMILIES = ("normal", "as shipped")
OTHER_MODE = ("while training", "while evaluating")
"""What the names of calls in the mode that is not shipped end with."""


def asks_its_mode(source: str) -> bool:
    """Whether a file reads `training` of anything."""
    nodes = ast.walk(ast.parse(source))
    return any(isinstance(node, ast.Attribute) and node.attr == "training" for node in nodes)


def other_modes(found: Sequence[Setting], planned: Sequence[Case], seed: int, source: str) -> list[Case]:
    """The calls that the two modes add to a plan: in the other one where the reference differs there; where
    it does not, the plan's late call is made in it, and in the shipped one too if the candidate may refuse
    the other."""
    moved = [case for case in planned if case.step.moved]
    if any(not case.step.flipped for case in moved):
        return in_the_other_mode(found, seed)
    if not asks_its_mode(source):
        return []
    told = [f"{case.name}, {_word(case.setting, False)}" for case in moved]
    return [
        replace(case, name=name, step=replace(case.step, flipped=False))
        for case, name in zip(moved, told, strict=True)
    ]


def in_the_other_mode(found: Sequence[Setting], seed: int) -> list[Case]:
    """Calls in the mode that is not shipped, at the first two shapes; none where the reference gives no one
    answer there."""
    draw = Draw(torch.Generator().manual_seed(seed + 2))
    cases = []
    for place, (setting, family) in enumerate(zip(found[:2], _FAMILIES, strict=False)):
        case = draw.case(place, _turned(setting), family)
        if _one_answer(case):
            step = replace(case.step, flipped=True, optional=False)
            cases.append(replace(case, name=f"{case.name}, {_word(setting, True)}", step=step))
    return cases


def mode_note(cases: Sequence[Case], reviewed: Sequence[Reviewed | None]) -> list[str]:
    """What of the two modes was judged, for a reference in which they differ."""
    if not any(case.step.moved and not case.step.flipped for case in cases):
        return []
    judged, other = (_word(cases[0].setting, turned) for turned in (False, True))
    outcomes = [
        one.result.outcome
        for case, one in zip(cases, reviewed, strict=True)
        if one is not None and case.step.flipped
    ]
    if not outcomes:
        return [f"judged {judged} alone: {other} the reference has no one answer"]
    if "guarded" in outcomes:
        return [f"judged {judged} alone: {other} the candidate refuses, in words"]
    return [f"judged {judged} and {other}"]


def _word(setting: Setting, other: bool) -> str:
    return OTHER_MODE[setting.reference.model.training is other]


def _turned(setting: Setting) -> Setting:
    model, source = setting.reference.model, setting.reference.source
    mode = "eval" if model.training else "train"
    return replace(setting, reference=Reference(copied_model(model), mode, source))


def _one_answer(case: Case) -> bool:
    """Whether the reference runs in this mode, and gives the same for two seeds."""
    reference, state = case.setting.reference, case.step.state
    try:
        first, second = (reference.eager(case.inputs, state, seed) for seed in (0, 1))
    except Exception:  # a reference that runs in one mode only
        return False
    return first.repeats(second)
