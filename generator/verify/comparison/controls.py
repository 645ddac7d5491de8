"""Sends impostors through the same comparison: an op that lets one pass cannot tell a cheat from a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from ....profiling.build import Input
from ..inputs.families import NO_NUMBERS, floats
from ..process.layout import EMPTY, RESIZED
from ..reference.budget import compare
from ..reference.eight_bits import same, widened
from .independent import ignores_inputs
from .right import Answer

_REJECTED, _PASSED = "rejected", "passed"

Impostor = Callable[[Answer], "list[torch.Tensor] | None"]


def zeros(answer: Answer) -> list[torch.Tensor]:
    return [torch.zeros_like(output) for output in answer.eager.outputs]


def constant(answer: Answer) -> list[torch.Tensor] | None:
    """The oracle's own mean (an integer output's commonest value) everywhere: the best a constant can do."""
    if all(output.numel() < 2 for output in answer.eager.outputs):
        return None
    return [torch.full_like(output, _typical(output)) for output in answer.eager.outputs]


def _typical(output: torch.Tensor) -> float | int | bool:
    if output.numel() == 0:
        return 0
    if not output.is_floating_point():
        return output.reshape(-1).mode().values.item()
    finite = widened(output)[torch.isfinite(widened(output))]
    return float(finite.double().mean()) if finite.numel() else 0.0


def the_input(answer: Answer) -> list[torch.Tensor] | None:
    """Some input in place of each output, where one fits."""
    tensors = _tensors(answer.case.inputs)
    outputs = answer.eager.outputs
    for candidate in tensors:
        if all(candidate.shape == output.shape and candidate.dtype == output.dtype for output in outputs):
            return [candidate for _ in outputs]
    return None


def partial(answer: Answer) -> list[torch.Tensor] | None:
    """The last tile was never computed: of what is not zero in each output, the final 1/64 (at least one
    element) is."""
    if all(output.numel() < 2 for output in answer.eager.outputs):
        return None
    return [_cut(output) for output in answer.eager.outputs]


def unread_tail(answer: Answer) -> list[torch.Tensor] | None:
    """The last columns were never read: right for inputs whose final 1/64 of each row (at least one element)
    is zero, or twice as many where the op itself does not read those. None where that changes nothing."""
    case, reference = answer.case, answer.case.setting.reference
    for times in (1, 2):
        cut = [_without_tail(value, times) for value in case.inputs]
        right, own = reference.tried_exactly(cut, case.step.state), reference.tried(cut, case.step.state)
        if right is None or own is None:
            return None
        if not all(map(_same, right.outputs, answer.oracle.outputs)):
            return own.outputs
    return None


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal but for the order in which the oracle added: another layout of an input may change that."""
    if not one.is_floating_point():
        return torch.equal(one, other)
    return torch.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


def _without_tail(value: Input, times: int) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 2:
        return value
    cut = value.contiguous().clone()
    cut.view(-1, cut.shape[-1])[:, -times * max(1, cut.shape[-1] // 64) :] = 0
    return cut


def _cut(output: torch.Tensor) -> torch.Tensor:
    flat = output.contiguous().clone().reshape(-1)
    filled = widened(flat).nonzero().reshape(-1)
    if flat.numel() >= 2 and filled.numel():
        flat[filled[-max(1, filled.numel() // 64) :]] = 0
    return flat.reshape(output.shape)


def other_seed(answer: Answer) -> list[torch.Tensor] | None:
    """Right for the same weights and another draw of the same family."""
    case = answer.case
    pairs = zip(_tensors(case.other_inputs), _tensors(case.step.inputs), strict=True)
    if all(same(one, other) for one, other in pairs):
        return None
    reference, state, right = case.setting.reference, case.step.state, answer.eager.outputs
    outputs = reference.eager(case.other_inputs, state).outputs
    alike = all(map(torch.equal, outputs, right))
    return None if alike and ignores_inputs(reference, case.inputs, state, right) else outputs


def _tensors(inputs: list[Input]) -> list[torch.Tensor]:
    return [value for value in inputs if isinstance(value, torch.Tensor)]


def other_weights(answer: Answer) -> list[torch.Tensor] | None:
    """Right for the same inputs and the weights that the op file ships; None where these are the same, or
    have no part in what comes out, to the last bit: a peak that is only kept up."""
    setting, step = answer.case.setting, answer.case.step
    if all(same(value, setting.state[name]) for name, value in step.state.items()):
        return None
    outputs = setting.reference.eager(answer.case.inputs, setting.state).outputs
    return None if all(map(same, outputs, answer.eager.outputs)) else outputs


def bf16_twin(answer: Answer) -> list[torch.Tensor] | None:
    """The op in bfloat16 throughout, cast back at the end; its results in bfloat16, where that is the op
    itself. None where nothing floats, or no output does, or bfloat16 holds all that comes out: signs, say."""
    case = answer.case
    if not any(map(floats, answer.eager.outputs)):
        return None
    if not any(floats(one) for one in (*case.inputs, *case.step.state.values(), *answer.eager.outputs)):
        return None
    try:
        outputs = case.setting.reference.twin(case.inputs, case.step.state).outputs
    except (RuntimeError, TypeError, ValueError):
        return None
    twins = [output.to(right.dtype) for output, right in zip(outputs, answer.eager.outputs, strict=True)]
    if all(map(same, twins, answer.eager.outputs)):  # an op that widens what it is given
        twins = [one.bfloat16().to(one.dtype) if floats(one) else one for one in twins]
        return None if all(map(same, twins, answer.eager.outputs)) else twins
    return twins


IMPOSTORS: dict[str, Impostor] = {
    "zeros": zeros,
    "constant": constant,
    "other seed": other_seed,
    "other weights": other_weights,
    "identity": the_input,
    "bf16 twin": bf16_twin,
    "partial": partial,
    "unread tail": unread_tail,
}

_WHY_NOT = {
    "constant": "every output is a single value, for which another seed's stands",
    "other seed": "every draw of the inputs is the same, or has no part in the outputs",
    "other weights": "the op has no weights, or they have no part in the outputs",
    "identity": "no input has the output's shape and dtype",
    "bf16 twin": "nothing floats that bfloat16 does not hold, or the op does not run in it",
    "partial": "every output is a single value",
    "unread tail": "no floating input's tail makes a difference",
}


def run_controls(answers: Iterable[Answer], precision: str) -> dict[str, str]:
    """Each impostor against every case until one refuses it; where infinities or NaN go in, what is refused
    says nothing of an op that is zero otherwise, nor what passes where no elements do, or one row: of a table
    of one row the look-up is the table."""
    answers = [answer for answer in answers if _tells(answer)]
    return {name: _control(name, impostor, answers, precision) for name, impostor in IMPOSTORS.items()}


def _tells(answer: Answer) -> bool:
    return answer.case.family not in NO_NUMBERS and answer.case.step.layout not in (*EMPTY, *RESIZED)


def _control(name: str, impostor: Impostor, answers: list[Answer], precision: str) -> str:
    if name == "bf16 twin" and precision in ("bf16", "fp16"):
        return f"n/a: {precision} allows the error that bfloat16 makes"
    tried = unfit = False
    for answer in answers:
        outputs = impostor(answer)
        if outputs is None:
            unfit = True
            continue
        tried = True
        if not accepted(outputs, answer, precision):
            return _REJECTED
    if name == "identity" and unfit and tried:
        return _REJECTED  # resized to as many pixels as it has an image is itself, and to others it is not
    return _PASSED if tried else f"n/a: {_WHY_NOT[name]}"


def accepted(outputs: list[torch.Tensor], answer: Answer, precision: str) -> bool:
    """Whether these outputs would pass this case: the one comparison that candidates go through."""
    return all(
        found.shape == target.eager.shape
        and found.dtype == target.eager.dtype
        and compare(found, target, precision).accepted
        for found, target in zip(outputs, answer.targets(), strict=True)
    )
