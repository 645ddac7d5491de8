"""The ledger: what each question of a run took in tokens, money and time, and if there may be another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ...prompts.tokens import tokens
from ..writer import SpentError
from .chat import Answer, Turn
from .settings import Endpoint


@dataclass(frozen=True)
class Asked:
    """One question. `candidate` is the kernel that came of it, `fault` why none did; counts are the server's
    own, None where it gave none or the answer was lost; `seconds` is the wait for it, retries included."""

    kind: str
    technique: str
    parent: str | None
    candidate: str | None
    fault: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float | None
    ended: str


class Ledger:
    """`max_tokens` and `max_cost` bound the run; None lifts them. What was paid before a crash counts."""

    def __init__(self, endpoint: Endpoint, max_tokens: int | None, max_cost: float | None) -> None:
        self._endpoint, self._max_tokens, self._max_cost = endpoint, max_tokens, max_cost
        self._tokens = 0
        self._cost = 0.0
        self.asked: list[Asked] = []

    def allow(self, turns: Sequence[Turn]) -> None:
        """Raises SpentError where the answer to `turns`, at its longest, would overrun a bound."""
        ahead = sum(tokens(text) for _, text in turns), self._endpoint.answer_tokens
        if self._max_tokens is not None and self._tokens + sum(ahead) > self._max_tokens:
            raise SpentError(
                f"{self._tokens} of {self._max_tokens} tokens are spent, and the next answer may take "
                f"{sum(ahead)}"
            )
        cost = self._endpoint.cost(*ahead)
        if self._max_cost is not None and cost is not None and self._cost + cost > self._max_cost:
            raise SpentError(
                f"{self._cost:.2f} of {self._max_cost:.2f} {self._endpoint.currency} are spent and the next "
                f"answer may cost {cost:.2f}"
            )

    def note(self, turns: Sequence[Turn], answer: Answer | None, seconds: float | None, **of_it: Any) -> None:
        """Enter one question; what the server did not count is bounded from above, a lost answer whole."""
        given = (answer.input_tokens, answer.output_tokens) if answer else (None, None)
        asked = given[0] if given[0] is not None else sum(tokens(text) for _, text in turns)
        said = given[1] if given[1] is not None else self._longest(answer)
        self._tokens += asked + said
        self._cost += self._endpoint.cost(asked, said) or 0.0
        self.asked.append(
            Asked(
                **of_it,
                input_tokens=given[0],
                output_tokens=given[1],
                cost=self._endpoint.cost(*given),
                seconds=None if seconds is None else round(seconds, 2),
                ended=answer.ended if answer else "lost",
            )
        )

    def _longest(self, answer: Answer | None) -> int:
        return tokens(answer.text) if answer else self._endpoint.answer_tokens

    def to_json(self) -> Mapping[str, Any]:
        """The sums, each None where a part of it is not known, and every question."""
        return {
            "model": f"{self._endpoint.provider}:{self._endpoint.model}",
            "input_tokens": _sum([one.input_tokens for one in self.asked]),
            "output_tokens": _sum([one.output_tokens for one in self.asked]),
            "cost": _sum([one.cost for one in self.asked]),
            "currency": self._endpoint.currency,
            "seconds": _sum([one.seconds for one in self.asked]),
            "asked": [asdict(one) for one in self.asked],
        }


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
