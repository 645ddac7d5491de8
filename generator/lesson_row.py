"""Makes a lesson a row of training data: prompt and answer, evidence, advice, reward, licence, provenance."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from .. import KbgenError
from ..hardware_specs.spec import find_spec
from ..kb import shipped
from ..kb.lessons import Lesson, Pair
from ..kb.records import EpisodeStep
from .prompts.prompt import template
from .prompts.tasks import PRECISIONS, reply_form
from .verify.text.candidate import with_constants

BASELINE = "the fastest of eager, compile and compile max-autotune"


def sft_row(lesson: Lesson) -> dict[str, Any]:
    """(op, evidence, advice, kernel, reward) and what a chat model is trained on: `prompt` and `completion`.
    What was not measured is null, never a number."""
    episode, task = lesson.episode, lesson.task
    return {
        "schema": "kbgen/sft/1",
        "id": lesson.record,
        "prompt": _prompt(lesson, advised=True),
        "completion": _answer(lesson),
        "op": _op(lesson),
        "device": _device(lesson),
        "evidence": list(task.evidence or episode.bottlenecks),
        "advice": [_step(step) for step in episode.steps],
        **_side(lesson),
    }


def preference_row(pair: Pair) -> dict[str, Any]:
    """One prompt, which names no technique, with the faster kernel as `chosen`, the slower as `rejected`."""
    return {
        "schema": "kbgen/preference/1",
        "id": f"{pair.fast.record} {pair.slow.record}",
        "prompt": _prompt(pair.fast, advised=False),
        "chosen": _answer(pair.fast),
        "rejected": _answer(pair.slow),
        "margin": {"ratio": pair.ratio, "of": f"their speed-ups over {BASELINE}, in a session each"},
        "op": _op(pair.fast),
        "device": _device(pair.fast),
        "sides": {"chosen": _side(pair.fast), "rejected": _side(pair.slow)},
    }


def op_file(lesson: Lesson) -> str:
    """The op file with the constants that the run gave it."""
    return with_constants(lesson.task.source, _constants(lesson))


def kernel_file(lesson: Lesson) -> str:
    """The kernel file, constants that it shares with the op file set alike."""
    return with_constants(lesson.episode.source, _constants(lesson))


def _constants(lesson: Lesson) -> dict[str, Any]:
    return {name: ast.literal_eval(text) for name, text in lesson.task.constants}


def _prompt(lesson: Lesson, *, advised: bool) -> list[dict[str, str]]:
    """System text and task in the words of kbgen's own prompts."""
    episode, task = lesson.episode, lesson.task
    system = template(
        "system", precision=f"the {episode.precision} class", reply=reply_form("draft"),
        precision_means=PRECISIONS[episode.precision],
    )  # fmt: skip
    kept = dict.fromkeys(_named(step.technique) for step in episode.steps if step.outcome == "helped")
    parts = [
        f"## The operator: {episode.op_name}\n\n```\n{op_file(lesson).strip()}\n```",
        f"## The card\n\n- {_card(episode.device_id, episode.arch)}",
        _listed("What holds it back", task.evidence or episode.bottlenecks),
        _listed("Techniques to apply", kept) if advised else "",
        template("draft", focus=""),
    ]
    user = "\n\n".join(filter(None, parts))
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _answer(lesson: Lesson) -> list[dict[str, str]]:
    return [{"role": "assistant", "content": f"```python\n{kernel_file(lesson).strip()}\n```"}]


def _op(lesson: Lesson) -> dict[str, Any]:
    episode, task = lesson.episode, lesson.task
    return {
        "name": episode.op_name,
        "family": episode.family,
        "fingerprint": episode.fingerprint,
        "problem": task.problem or None,
        "source": op_file(lesson),
        "constants": dict(task.constants),
        "mode": task.mode,
        "precision": episode.precision,
        "licence": lesson.licence,
        "licence_stated_by": lesson.stated_by,
    }


def _device(lesson: Lesson) -> dict[str, Any]:
    episode = lesson.episode
    return {"id": episode.device_id, "arch": episode.arch, "vendor": episode.vendor, "driver": episode.driver}


def _side(lesson: Lesson) -> dict[str, Any]:
    """The kernel, what it earns, and where it comes from. The op's licence holds for the kernel, which keeps
    the op's constructor; what else its writer claims is not known."""
    episode, source = lesson.episode, kernel_file(lesson)
    interval = lesson.task.interval if lesson.measured else None
    return {
        "kernel": {
            "source": source,
            "sha256": hashlib.sha256(source.encode()).hexdigest(),
            "licence": lesson.licence,
            "writer": lesson.task.writer or None,
        },
        "reward": {
            "verified": True,
            "measured": lesson.measured,
            "speedup": episode.speedup if lesson.measured else None,
            "interval": list(interval) if interval else None,
            "over": BASELINE if lesson.measured else None,
        },
        "provenance": {
            "record": lesson.record,
            "created": episode.created,
            "status": episode.status,
            "kbgen": episode.kbgen_version,
            "torch": episode.torch_version,
            "triton": episode.triton_version,
        },
    }


def _step(step: EpisodeStep) -> dict[str, Any]:
    return {
        "technique": step.technique,
        "title": _titles().get(step.technique),
        "outcome": step.outcome,
        "effect": step.effect,
        "effect_is": step.evidence if step.effect is not None else None,
        "reason": step.reason,
        "passages": list(step.citations),
    }


def _named(technique: str) -> str:
    title = _titles().get(technique)
    return f"{title} (`{technique}`)" if title else f"`{technique}`"


@cache
def _titles() -> dict[str, str]:
    """Of shipped cards; a page that a user took in is named by its id alone, since its text is not ours."""
    return {page.id: page.title for page in shipped.pages()}


def _card(device_id: str, arch: str) -> str:
    try:
        spec = find_spec(device_id)
    except KbgenError:  # a card that no sheet names
        return f"{device_id}, {arch}"
    return f"{spec.name}: {spec.vendor} {spec.architecture}, target `{spec.target}`"


def _listed(heading: str, items: Iterable[str]) -> str:
    lines = "\n".join(f"- {one}" for one in items)
    return f"## {heading}\n\n{lines}" if lines else ""
