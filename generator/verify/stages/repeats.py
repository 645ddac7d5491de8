"""What a call is made for once more: without its kernels, and late at other addresses."""

from __future__ import annotations

from dataclasses import replace

from ..inputs.setting import Case


def ghost(case: Case) -> Case:
    """The call before once more, with every kernel left out."""
    step = replace(case.step, ghost=True, optional=False, again=False)
    return replace(case, name=f"{case.name}, kernels left out", step=step)


def moved(case: Case, late: bool = False) -> Case:
    """The same contents at new addresses, programs from the last to the first; `late` in the instance's life,
    with gradients on, and in the other mode where that makes no difference to the reference."""
    flipped = late and case.setting.reference.ignores_mode(case.inputs, case.step.state)
    step = replace(case.step, again=False, optional=False, moved=True, late=late, flipped=flipped)
    return replace(case, name=f"{case.name}, moved", step=step)
