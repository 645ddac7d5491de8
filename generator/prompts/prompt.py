"""The prompt: a system text and a task made of parts, the most telling ones chosen within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from ... import KbgenError
from .tokens import tokens

VERSION = "kbgen/prompt/1"
"""Changes with any template and with the order of the parts; journals and transcripts name it."""

BUDGET_TOKENS = 16_000


class PromptError(KbgenError):
    """What must be said does not fit into the budget."""


@dataclass(frozen=True)
class Item:
    """One thing that is said whole or not at all; `passages` are the ids of those it quotes."""

    text: str
    passages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """A heading with its items, most telling first; one that is `needed` is never cut."""

    name: str
    heading: str
    items: tuple[Item, ...]
    needed: bool = False

    def shown(self, count: int) -> str:
        return "\n\n".join((f"## {self.heading}", *(item.text for item in self.items[:count])))


@dataclass(frozen=True)
class Prompt:
    """What a model is sent. `tokens` counts both texts from above; `passages` are the ids of those quoted;
    `left_out` says, part by part, how much did not fit."""

    kind: str
    system: str
    user: str
    tokens: int
    budget: int
    passages: tuple[str, ...]
    left_out: tuple[str, ...]
    version: str = VERSION

    @property
    def text(self) -> str:
        """Both texts as one document, for a person to paste."""
        return f"{self.system}\n\n{self.user}\n"

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "passages": list(self.passages), "left_out": list(self.left_out)}


def template(name: str, **values: str) -> str:
    """The text of `templates/<name>.md` with its `$names` filled in."""
    return _template(name).substitute(values).strip()


@cache
def _template(name: str) -> Template:
    folder = files("kbgen.generator.prompts") / "templates"
    return Template((folder / f"{name}.md").read_text(encoding="utf-8"))


def compose(kind: str, system: str, parts: Sequence[Part], closing: str, budget: int) -> Prompt:
    """Parts in their order: the needed ones whole, of the others first the first item of each, then the
    second, as long as they fit. Raises PromptError where the needed ones alone do not."""
    shown = {part.name: len(part.items) if part.needed else 0 for part in parts}
    spent = tokens(system) + tokens(closing) + sum(_cost(part) for part in parts if part.needed)
    if spent > budget:
        raise PromptError(
            f"the operator, the rules and the kernel to improve take {spent} tokens, the prompt may have "
            f"{budget}; give --prompt-tokens {spent + spent // 4} or more."
        )
    open_parts = [part for part in parts if not part.needed and part.items]
    while open_parts:
        for part in list(open_parts):
            count = shown[part.name]
            cost = tokens(part.items[count].text) + 1 + (0 if count else tokens(part.heading) + 3)
            if spent + cost > budget:
                open_parts.remove(part)
                continue
            spent, shown[part.name] = spent + cost, count + 1
            if shown[part.name] == len(part.items):
                open_parts.remove(part)
    chosen = [part for part in parts if shown[part.name]]
    user = "\n\n".join((*(part.shown(shown[part.name]) for part in chosen), closing))
    quoted = (one for part in chosen for item in part.items[: shown[part.name]] for one in item.passages)
    return Prompt(
        kind=kind,
        system=system,
        user=user,
        tokens=tokens(system) + tokens(user),
        budget=budget,
        passages=tuple(dict.fromkeys(quoted)),
        left_out=tuple(
            f"{part.heading}: {len(part.items) - shown[part.name]} of {len(part.items)}"
            for part in parts
            if shown[part.name] < len(part.items)
        ),
    )


def _cost(part: Part) -> int:
    return tokens(part.shown(len(part.items))) + 2
