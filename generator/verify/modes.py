"""Judges a module in both of its modes, training and evaluating, where reference and candidate know of both.

The mode that the op file ships is judged always. Where the reference's answer differs in the other one, a
candidate that asks for its mode is judged there too, unless it refuses in words that name the mode; the
verdict says what was judged.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

import torch

from .draw import Draw
from .model_copy import copied_model
from .oracle import Reference
from .setting import Case, Setting

_FAMILIES = ("normal", "as shipped")
OTHER_MODE = ("while training", "while evaluating")
"""What the names of calls in the mode that is not shipped end with."""


def asks_its_mode(source: str) -> bool:
    """Whether a file reads `training` of anything."""
    nodes = ast.walk(ast.parse(source))
    return any(isinstance(node, ast.Attribute) and node.attr == "training" for node in nodes)


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


def mode_note(setting: Setting, both: bool) -> str:
    """What of the two modes was judged, for a reference in which they differ."""
    judged, other = _word(setting, False), _word(setting, True)
    if both:
        return f"judged {judged} and {other}"
    return f"judged {judged} alone: {other} the reference does something else, and the candidate never asks"


def _word(setting: Setting, other: bool) -> str:
    return OTHER_MODE[setting.reference.model.training is other]


def _turned(setting: Setting) -> Setting:
    model = setting.reference.model
    mode = "eval" if model.training else "train"
    return replace(setting, reference=Reference(copied_model(model), mode))


def _one_answer(case: Case) -> bool:
    """Whether the reference runs in this mode, and gives the same for two seeds."""
    reference, state = case.setting.reference, case.step.state
    try:
        first, second = (reference.eager(case.inputs, state, seed).outputs for seed in (0, 1))
    except Exception:  # a reference that runs in one mode only
        return False
    return all(map(torch.equal, first, second))
