"""Writes the part of report.md that says what a model's answers took: tokens, money, time by question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pipes import table


def answers(result: Mapping[str, Any]) -> str:
    """One row a question, and the sums; "" for a writer that asks nobody. What is not known is a dash."""
    spent = result.get("spent")
    if not spent or not spent["asked"]:
        return ""
    rows = [
        (
            str(place),
            one["kind"],
            one["technique"] or "-",
            f"`{one['candidate']}`" if one["candidate"] else one["fault"],
            *_figures(one),
        )
        for place, one in enumerate(spent["asked"], 1)
    ]
    rows.append(("", "in all", "", "", *_figures(spent)))
    cost = f"cost ({spent['currency']})"
    columns = ("", "asked for", "technique", "gave", "tokens in", "tokens out", cost, "s")
    note = "Counts are the server's own. A question that a resumed run found answered is counted as it was."
    return f"{table(columns, rows)}\n\n{note}"


def summed(spent: Mapping[str, Any]) -> str:
    """`asked openai:m 3 times: 3000 tokens in, 600 out, 0.0120 USD, 41.2 s`; what is not known is a dash."""
    tokens_in, tokens_out, cost, seconds = _figures(spent)
    return (
        f"asked {spent['model']} {len(spent['asked'])} times: {tokens_in} tokens in, {tokens_out} out, "
        f"{cost} {spent['currency']}, {seconds} s"
    )


def _figures(one: Mapping[str, Any]) -> tuple[str, str, str, str]:
    cost, seconds = one["cost"], one["seconds"]
    return (
        _count(one["input_tokens"]),
        _count(one["output_tokens"]),
        "-" if cost is None else f"{cost:.4f}",
        "-" if seconds is None else f"{seconds:.1f}",
    )


def _count(number: int | None) -> str:
    return "-" if number is None else str(number)
