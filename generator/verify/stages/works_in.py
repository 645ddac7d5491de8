"""Tells which dtypes a reference works in, which may be wider than those of its inputs."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..inputs.setting import Case
from ..process.recorder import COPIES
from ..reference.watching import Watching


class _Given(Watching):
    """The floating dtypes of what operators give in the block; what only moves elements gives nothing new."""

    def __init__(self) -> None:
        super().__init__()
        self.dtypes: set[torch.dtype] = set()

    def saw(self, func: Any, args: tuple[Any, ...], result: Any) -> None:
        moves = func.is_view or func._schema.name.removeprefix("aten::") in COPIES
        given = {one.dtype for one in pytree.tree_leaves(result) if isinstance(one, torch.Tensor)}
        taken = {one.dtype for one in pytree.tree_leaves(args) if isinstance(one, torch.Tensor)}
        if taken:  # what is made of no tensor is empty yet, or constant
            new = given - taken if moves else given
            self.dtypes |= {dtype for dtype in new if dtype.is_floating_point}


def works_in(case: Case) -> set[torch.dtype]:
    """The dtypes that the reference brings its results to in this case, those of its outputs included.

    Numbers of bfloat16 that it widens before it reckons with them are exact, and so is what a kernel loads of
    them: then nothing excuses an error of bfloat16's size. Inputs count where it does nothing but move them.
    """
    with _Given() as seen:
        ran = case.setting.reference.eager(case.inputs, case.step.state)
    floating = [one.dtype for one in ran.outputs if one.is_floating_point()]
    if not seen.dtypes and not floating:
        tensors = [one for one in (*case.inputs, *case.step.state.values()) if isinstance(one, torch.Tensor)]
        return {one.dtype for one in tensors}
    return {*seen.dtypes, *floating}
