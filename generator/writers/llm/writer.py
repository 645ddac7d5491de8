"""A writer that asks a language model: one prompt, one kernel file, one chance to mend the reply's form."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ...job import Asking
from ...prompts.prompt import Prompt
from ...prompts.tasks import draft, improve, once_more, repair
from ..journal import Journal, LostError
from ..reply import ReplyError, read_reply
from ..synth.writer import SynthWriter
from ..writer import Candidate, Declined, Effort, Request, SpentError
from .chat import Answer, Turn, ask, check_packages, load
from .ledger import Ledger
from .patience import EndpointError, patiently
from .settings import Endpoint, ModelSettingsError, config_path
from .transcript import Transcript

ECHOED = 20_000
"""Characters of an unusable reply that are shown to the model again."""


class LLMWriter:
    """Candidates from the model at an endpoint. Every answer is in the journal before it is looked at."""

    transforms = SynthWriter.transforms
    refinements: tuple[str, ...] = ()

    def __init__(
        self, endpoint: Endpoint, asking: Asking, out: Path, *, seeded: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        if asking.max_cost is not None and endpoint.cost(0, 0) is None:
            raise ModelSettingsError(
                "--max-cost needs prices: put price_in and price_out of "
                f"{endpoint.provider}:{endpoint.model} into {config_path()}, or give --max-tokens instead."
            )
        check_packages(endpoint)
        self.name = f"{'synth+' if seeded else ''}{endpoint.provider}:{endpoint.model}"
        self.effort = Effort(asking.drafts, asking.repairs, asking.beam, asking.samples, seeded)
        self.journal: Journal | None = Journal(out / "journal")
        self._endpoint, self._wait = endpoint, wait
        room = endpoint.context_tokens - endpoint.answer_tokens
        self._budget = min(asking.prompt_tokens, room)
        self._ledger = Ledger(endpoint, asking.max_tokens, asking.max_cost)
        self._transcript = Transcript(out / "journal" / "transcript.md", self.name)

    @property
    def spent(self) -> Mapping[str, Any] | None:
        return self._ledger.to_json()

    def write(self, request: Request) -> Candidate | Declined:
        """Ask for what the request wants. Raises SpentError where a budget is used up or, after the first
        answer, the server gives none; EndpointError where it never gave one."""
        prompt = self._prompt(request)
        turns: list[Turn] = [("system", prompt.system), ("user", prompt.user)]
        parent = request.parent.source if request.parent else None
        fault = ""
        for again in (False, True):
            answer, seconds = self._answer(turns, f"{request.sample}")
            source, fault = self._read(answer, parent)
            made = self._candidate(source, request) if source else None
            self._ledger.note(
                turns, answer, seconds,
                kind="form" if again else prompt.kind, technique=request.focus.id if request.focus else "",
                parent=request.parent.id if request.parent else None,
                candidate=made.id if made else None, fault=fault,
            )  # fmt: skip
            self._transcript.add("form" if again else prompt.kind, turns, answer, fault, made)
            if made is not None:
                return made
            said = (answer.text if answer else "")[:ECHOED] or "(no text)"
            turns += [("assistant", said), ("user", once_more(prompt.kind, fault))]
        return Declined(f"its reply could not be used, twice: {fault}")

    def _candidate(self, source: str, request: Request) -> Candidate:
        """What the parent leaves to torch may stay there."""
        parent = request.parent or Candidate("", self.name)
        return Candidate(
            source, self.name, (*parent.techniques, *((request.focus.id,) if request.focus else ())),
            parent=parent.id if request.parent else None, left_to_torch=parent.left_to_torch,
            allowed_calls=parent.allowed_calls, torch_bytes=parent.torch_bytes,
            flops=float(request.traced.flops),
        )  # fmt: skip

    def _prompt(self, request: Request) -> Prompt:
        assert request.briefing is not None
        if request.parent is None:
            return draft(request.briefing, request.focus, self._budget)
        source = request.parent.source
        if request.complaint is not None:
            return repair(request.briefing, source, request.complaint, self._budget)
        return improve(request.briefing, source, request.standing, request.focus, self._budget)

    def _read(self, answer: Answer, parent: str | None) -> tuple[str, str]:
        """The kernel file, or the fault."""
        if answer.ended in ("length", "max_tokens"):
            return "", f"it was cut off after {answer.output_tokens or self._endpoint.answer_tokens} tokens."
        try:
            return read_reply(answer.text, parent), ""
        except ReplyError as error:
            return "", self._endpoint.without_secrets(str(error))

    def _answer(self, turns: Sequence[Turn], sample: str) -> tuple[Answer, float | None]:
        """The answer and the wait for it, from the journal where it was asked before.

        A question whose answer a crash has lost is not sent again: it counts as spent, and a further sample
        is asked for in its place.
        """
        assert self.journal is not None
        while True:
            key = json.dumps([self.name, sample, turns], ensure_ascii=False)
            try:
                told = self.journal.paid("answer", key, partial(self._asked, turns, key))
                return Answer(**told["answer"]), told["seconds"]
            except LostError:
                self._ledger.note(
                    turns, None, None, kind="lost", technique="", parent=None, candidate=None,
                    fault="sent before the run was broken off; its answer is not known",
                )  # fmt: skip
                sample += "+"

    def _asked(self, turns: Sequence[Turn], key: str) -> dict[str, Any]:
        self._ledger.allow(turns)
        load(self._endpoint)
        begun = time.monotonic()
        try:
            question = Journal.name(key)
            answer = patiently(lambda: ask(self._endpoint, turns, question), self._endpoint, self._wait)
        except EndpointError as error:
            if self._ledger.asked:
                raise SpentError(str(error)) from None
            raise
        return {"answer": asdict(answer), "seconds": time.monotonic() - begun}
