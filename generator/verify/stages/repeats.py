"""What a call is made for once more: without its kernels, and late at other addresses."""

from __future__ import annotations

from dataclasses import replace

from ..inputs.setting import Case, Setting
from ..process.exchange import Step


def ghost(step: Step) -> Step:
    """The call before once more, with every kernel left out."""
    return replace(step, ghost=True, optional=False, again=False)


def moved(setting: Setting, case: Case) -> Step:
    """The same contents at new addresses, late in the instance's life, with gradients on, and in the other
    mode where that makes no difference to the reference."""
    flipped = setting.reference.ignores_mode(case.inputs, case.step.state)
    return replace(case.step, again=False, moved=True, late=True, flipped=flipped)
