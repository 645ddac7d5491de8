"""Sends impostors through the same comparison: an op that lets one pass cannot tell a cheat from a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import torch

from ...profiling.build import Input
from .budget import Target, compare
from .eight_bits import is_eight_bits, same, widened
from .exact import must_be_exact
from .families import INFINITE, ONE_NAN
from .independent import ignores_inputs
from .layout import EMPTY
from .oracle import Ran
from .setting import Case

_REJECTED, _PASSED = "rejected", "passed"

_ENOUGH = 8
"""Shaken values that tell how errors are passed on: one alone is near the right one now and then, and a sum
that cancels would be refused by chance of the draw."""

_LARGE = 1e4
"""In the place of infinity, to see what depends on it."""

_STEPS = 2
"""Operators that round before one can blow up what another has rounded."""


@dataclass(frozen=True)
class Answer:
    """The right answers to one case: float64 oracle, the same for shaken inputs, the op's own result; `exact`
    where they leave no room for rounding."""

    case: Case
    oracle: Ran
    eager: Ran
    shaken: Ran
    exact: bool = False
    touched: tuple[torch.Tensor, ...] = ()  # which values depend on inputs that are no numbers, if any are
    limits: tuple[
        torch.Tensor, ...
    ] = ()  # the answers with large numbers in infinity's place, where it stood

    def targets(self) -> list[Target]:
        runs = zip(self.oracle.outputs, self.eager.outputs, self.shaken.outputs, strict=True)
        choices, terms = self.oracle.choices, self.oracle.terms
        touched, limits = dict(enumerate(self.touched)), dict(enumerate(self.limits))
        return [
            Target(
                *run,
                exact=self.exact,
                choice=choices.get(place),
                terms=terms,
                spreads=touched.get(place),
                limit=limits.get(place),
            )
            for place, run in enumerate(runs)
        ]


def right_answer(case: Case, state: dict[str, torch.Tensor]) -> Answer:
    """Run the reference three times on the inputs of `case` with the weights in `state`."""
    reference = case.setting.reference
    right, eager = reference.oracle(case.inputs, state), reference.eager(case.inputs, state)
    exact = case.family == "small integers" and must_be_exact(
        lambda inputs: reference.oracle(inputs, state), case.inputs, case.other_inputs, right, eager
    )
    touched = _touched(case, state) if case.family in (INFINITE, ONE_NAN) else ()
    limits = _limits(case, state) if case.family == INFINITE else ()
    return Answer(case, right, eager, _shaken(case, state, right), exact, touched, limits)


def _limits(case: Case, state: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """The answers to large numbers of infinity's sign in its place."""
    inputs = [
        widened(one).nan_to_num(torch.nan, _LARGE, -_LARGE).to(one.dtype)
        if isinstance(one, torch.Tensor) and _floats(one)
        else one
        for one in case.inputs
    ]
    return tuple(case.setting.reference.oracle(inputs, state).outputs)


def _touched(case: Case, state: dict[str, torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Which values of each output are others where the inputs that are no numbers are."""
    runs = []
    for instead in (_LARGE, -_LARGE):
        inputs = [
            widened(one).masked_fill(~widened(one).isfinite(), instead).to(one.dtype)
            if isinstance(one, torch.Tensor) and _floats(one)
            else one
            for one in case.inputs
        ]
        runs.append(case.setting.reference.eager(inputs, state).outputs)
    return tuple(~((one == other) | (one.isnan() & other.isnan())) for one, other in zip(*runs, strict=True))


def _shaken(case: Case, state: dict[str, torch.Tensor], right: Ran) -> Ran:
    """The answer to shaken inputs, or to shaken steps where that is farther off; where there are few values,
    of several draws the one farthest off."""
    reference = case.setting.reference
    shaken = reference.shaken(case.inputs, state)
    values = min((output.numel() for output in right.outputs if output.is_floating_point()), default=_ENOUGH)
    for draw in range(1, -(-_ENOUGH // max(1, values))):
        more = reference.shaken(case.inputs, state, draw).outputs
        farther = map(_farther, right.outputs, shaken.outputs, more)
        shaken = replace(shaken, outputs=list(farther))
    if right.steps < _STEPS:
        return shaken
    stepped = reference.stepped(case.inputs, state)
    outputs = list(map(_farther, right.outputs, shaken.outputs, stepped.outputs))
    kept = {
        name: _farther(one, shaken.state[name], stepped.state[name]) for name, one in right.state.items()
    }  # the mean of a deep layer is as far off as what is returned
    return replace(shaken, outputs=outputs, state=kept)


def _farther(right: torch.Tensor, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    if not right.is_floating_point() or is_eight_bits(right) or one.shape != other.shape:
        return one
    return torch.where((other - right).abs() > (one - right).abs(), other, one)


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
    is zero. None where that changes nothing."""
    case, reference = answer.case, answer.case.setting.reference
    cut = [_without_tail(value) for value in case.inputs]
    right = reference.oracle(cut, case.step.state).outputs
    if all(_same(one, other) for one, other in zip(right, answer.oracle.outputs, strict=True)):
        return None
    return reference.eager(cut, case.step.state).outputs


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Equal but for the order in which the oracle added: another layout of an input may change that."""
    if not one.is_floating_point():
        return torch.equal(one, other)
    return torch.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True)


def _without_tail(value: Input) -> Input:
    if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 2:
        return value
    cut = value.contiguous().clone()
    cut.view(-1, cut.shape[-1])[:, -max(1, cut.shape[-1] // 64) :] = 0
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


def _floats(value: Input) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _tensors(inputs: list[Input]) -> list[torch.Tensor]:
    return [value for value in inputs if isinstance(value, torch.Tensor)]


def other_weights(answer: Answer) -> list[torch.Tensor] | None:
    """Right for the same inputs and the weights that the op file ships."""
    setting, step = answer.case.setting, answer.case.step
    moved = [name for name, value in step.state.items() if not same(value, setting.state[name])]
    return setting.reference.eager(answer.case.inputs, setting.state).outputs if moved else None


def bf16_twin(answer: Answer) -> list[torch.Tensor] | None:
    """The op in bfloat16 throughout, cast back at the end; its results in bfloat16, where that is the op
    itself. None where nothing floats, or no output does."""
    case = answer.case
    if not any(map(_floats, answer.eager.outputs)):
        return None
    if not any(_floats(one) for one in (*case.inputs, *case.step.state.values(), *answer.eager.outputs)):
        return None
    try:
        outputs = case.setting.reference.twin(case.inputs, case.step.state).outputs
    except (RuntimeError, TypeError, ValueError):
        return None
    twins = [output.to(right.dtype) for output, right in zip(outputs, answer.eager.outputs, strict=True)]
    if all(map(same, twins, answer.eager.outputs)):  # an op that widens what it is given
        return [one.bfloat16().to(one.dtype) if _floats(one) else one for one in twins]
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
    "other weights": "the op has no weights",
    "identity": "no input has the output's shape and dtype",
    "bf16 twin": "the op takes or gives nothing that floats, or does not run in bfloat16",
    "partial": "every output is a single value",
    "unread tail": "no floating input's tail makes a difference",
}


def run_controls(answers: Iterable[Answer], precision: str) -> dict[str, str]:
    """Each impostor against every case until one refuses it; where infinities or NaN go in, what is refused
    says nothing of an op that is zero otherwise, nor what passes where no elements do."""
    telling = (answer for answer in answers if answer.case.family not in (INFINITE, ONE_NAN, *EMPTY))
    answers = list(telling)
    return {name: _control(name, impostor, answers, precision) for name, impostor in IMPOSTORS.items()}


def _control(name: str, impostor: Impostor, answers: list[Answer], precision: str) -> str:
    if name == "bf16 twin" and precision in ("bf16", "fp16"):
        return f"n/a: {precision} allows the error that bfloat16 makes"
    tried = False
    for answer in answers:
        outputs = impostor(answer)
        if outputs is None:
            continue
        tried = True
        if not accepted(outputs, answer, precision):
            return _REJECTED
    return _PASSED if tried else f"n/a: {_WHY_NOT[name]}"


def accepted(outputs: list[torch.Tensor], answer: Answer, precision: str) -> bool:
    """Whether these outputs would pass this case: the one comparison that candidates go through."""
    return all(
        found.shape == target.eager.shape
        and found.dtype == target.eager.dtype
        and compare(found, target, precision).accepted
        for found, target in zip(outputs, answer.targets(), strict=True)
    )
