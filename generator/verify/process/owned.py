"""The tensors of a call that the reference knows too, and which of them a call has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import torch

from ....profiling.build import Input


def owned(
    inputs: Sequence[Input], names: Sequence[str], state: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The tensors among `inputs` under the `names` of forward's arguments, then those of `state`."""
    called = [names[place] if place < len(names) else f"input{place}" for place in range(len(inputs))]
    named = [f"{name} (input)" if name in state else name for name in called]
    found = {name: one for name, one in zip(named, inputs, strict=True) if isinstance(one, torch.Tensor)}
    return {**found, **state}


def by_place(
    inputs: Sequence[Input], names: Iterable[str], changed: dict[str, torch.Tensor]
) -> dict[int, torch.Tensor]:
    """Take out of `changed` what stands among `inputs`, by their places; `names` are those of `owned`."""
    places = [place for place, one in enumerate(inputs) if isinstance(one, torch.Tensor)]
    return {place: changed.pop(name) for place, name in zip(places, names, strict=False) if name in changed}
