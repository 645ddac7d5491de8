"""Writes the part of report.md that says why one may believe the claim: verdict, controls, kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import figures
from .pipes import free_table, table

CASE_COLUMNS = ("name", "outcome", "oracle_error", "baseline_error", "budget", "detail")


def verdict(result: Mapping[str, Any]) -> str:
    """What the judge found, call by call, and the impostors that it refused."""
    found = result["verdict"]
    if not found:
        return ""
    parts = [": ".join([f"Verdict **{found['verdict']}**", *_because(found)]) + "."]
    if found["oracle_error"] is not None:
        parts.append(
            f"Worst error against the fp64 oracle {figures.cell(found['oracle_error'])}; eager's own worst "
            f"on the same data {figures.cell(found['baseline_error'])}. Errors are relative L2 norms."
        )
    if found["cases"]:
        parts.append(free_table(found["cases"], CASE_COLUMNS))
    if found["controls"]:
        rows = [(name, figures.cell(outcome)) for name, outcome in found["controls"].items()]
        parts.append("Controls: impostors that the same comparison must reject.")
        parts.append(table(("impostor", "outcome"), rows))
    notes = [*found["notes"], *(f"labelled {label}" for label in found["labels"])]
    notes += [f"left to torch: {name}" for name in found["library_calls"]]
    parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(part for part in parts if part)


def kernels(result: Mapping[str, Any]) -> str:
    """What the compiler made of each kernel, and the bytes that it moves."""
    if not result["kernels"]:
        return ""
    rows = [[f"`{kernel['name']}`", *figures.static_row(kernel["static"])] for kernel in result["kernels"]]
    parts = [table(("kernel", *figures.STATIC_HEADER), rows)]
    if result["traffic_ratio"] is not None:
        parts.append(
            f"Planned memory traffic: {figures.ratio(result['traffic_ratio'])} the minimum, which is every "
            "input read once and every output written once."
        )
    if result["attainable_us"] is not None:
        least, expected = (figures.microseconds(result[key]) for key in ("attainable_us", "estimate_us"))
        parts.append(
            f"By the device's peaks the op takes at least {least}; the static model expects {expected} of "
            "these kernels. Both are estimates."
        )
    return "\n\n".join(parts)


def _because(found: Mapping[str, Any]) -> list[str]:
    return [str(found[key]) for key in ("cause", "detail") if found[key]]
