"""The things a model is asked for: a first kernel, a faster one, a mended one, the same in order."""

from __future__ import annotations

from collections.abc import Sequence

from .briefing import Briefing, Focus
from .prompt import BUDGET_TOKENS, Item, Part, Prompt, compose, template
from .quoting import blunted, quoted
from .spans import marked

_SYSTEM = {"triton": "system", "cuda": "system_cuda"}

PRECISIONS = {
    "fp32": "Sums and products in float32, whatever the storage type; products on tensor cores only with\n"
    "  errors of that class (3xTF32, not plain TF32).",
    "tf32": "Products may round their factors to TF32; sums are float32.",
    "bf16": "Products may take bfloat16 factors; sums are float32.",
    "fp16": "Products may take float16 factors; sums are float32.",
}


def draft(briefing: Briefing, focus: Focus | None = None, budget: int = BUDGET_TOKENS) -> Prompt:
    """Asks for a first kernel; with a focus, one that is built around that technique."""
    asked = f" Build it around this technique of the advice: {_name(focus)}." if focus else ""
    return _prompt("draft", briefing, (), template("draft", focus=asked), budget)


def improve(
    briefing: Briefing, parent: str, standing: str, focus: Focus | None = None, budget: int = BUDGET_TOKENS
) -> Prompt:
    """Asks for a faster kernel than `parent`, of which `standing` says how it does on the card."""
    asked = f" Apply this technique of the advice: {_name(focus)}." if focus else ""
    return _prompt("improve", briefing, _kernel(parent, standing), template("improve", focus=asked), budget)


def repair(briefing: Briefing, parent: str, complaint: str, budget: int = BUDGET_TOKENS) -> Prompt:
    """Asks to mend `parent`, which was refused with `complaint`."""
    told = Part("complaint", "The complaint", (Item(quoted("complaint", complaint, {})),), needed=True)
    return _prompt("repair", briefing, (*_kernel(parent, ""), told), template("repair", focus=""), budget)


def reply_form(kind: str) -> str:
    """How the reply to a prompt of this kind must look."""
    return template("reply_file" if kind == "draft" else "reply_edits")


def once_more(kind: str, fault: str) -> str:
    """What is answered to a reply that could not be read."""
    return template("format", fault=fault, reply=reply_form(kind))


def _prompt(kind: str, briefing: Briefing, of_this: Sequence[Part], closing: str, budget: int) -> Prompt:
    system = template(
        _SYSTEM[briefing.language], precision=f"the {briefing.precision} class", reply=reply_form(kind),
        precision_means=PRECISIONS[briefing.precision],
    )  # fmt: skip
    return compose(kind, system, (*briefing.parts, *of_this), closing, budget)


def _kernel(source: str, standing: str) -> tuple[Part, ...]:
    told = f"\n\n{standing}" if standing else ""
    text = quoted("kernel", marked(source), {}) + told
    return (Part("parent", "The kernel to work on, cut into spans", (Item(text),), needed=True),)


def _name(focus: Focus) -> str:
    return f"{blunted(focus.title)} (`{focus.id}`)"
