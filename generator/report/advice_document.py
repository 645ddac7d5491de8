"""Turns advice, for the kernels of a report or for an op, into the document that `kbgen advise` promises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .documents import diagnosis_document

if TYPE_CHECKING:
    from ...hardware_specs.device import DeviceSpec
    from ...profiling.classify import Diagnosis
    from ...profiling.counters.record import CounterReport, Launch
    from ...retrieval.advise import Advice, Step, Withheld
    from ...retrieval.kernels import KernelAdvice
    from ...retrieval.past import Past

Document = dict[str, Any]


def report_advice(subject: str, report: CounterReport, advised: Sequence[KernelAdvice]) -> Document:
    """The kernels of a profiler's report, by share of time; `subject` is the file or the command."""
    levels = [one.diagnosis.level for one in advised]
    return {
        "subject": subject,
        "tool": report.tool,
        "tool_version": report.tool_version,
        "notes": list(dict.fromkeys([*report.notes, *(one.remark for one in advised if one.remark)])),
        "launches": len(report.launches),
        "level": max(levels, default="A"),  # the weakest; A is the best
        "mode": advised[0].mode if advised else None,
        "note": next((one.note for one in advised if one.note), ""),
        "kernels": [_profiled(one) for one in advised],
    }


def op_advice(
    name: str, family: str, diagnosis: Diagnosis, advice: Advice, steps: Sequence[Step], spec: DeviceSpec
) -> Document:
    """An op, or a kernel known by a saved diagnosis: no launch of it was counted."""
    kernel = {
        **_kernel(name, family, spec, diagnosis, steps, advice.withheld),
        "library": None,
        "query": advice.query,
    }
    return {
        "subject": name,
        "tool": None,
        "tool_version": None,
        "notes": [],
        "launches": 0,
        "level": diagnosis.level,
        "mode": advice.mode,
        "note": advice.note,
        "kernels": [kernel],
    }


def _profiled(one: KernelAdvice) -> Document:
    launch, group = one.group.typical, one.group
    described = _kernel(group.kernel, one.origin.family, one.spec, one.diagnosis, one.steps, one.withheld)
    return {
        **described,
        "library": one.origin.library,
        "launches": len(group.launches),
        "time_us": group.time_us,
        "share": group.share,
        "median_us": group.median_us,
        "worst_us": group.worst_us,
        "launch": launch_document(launch),
        "query": one.query,
    }


def _kernel(
    name: str,
    family: str | None,
    spec: DeviceSpec,
    diagnosis: Diagnosis,
    steps: Sequence[Step],
    withheld: Sequence[Withheld],
) -> Document:
    evidence = {found.cls: found.evidence for found in reversed(diagnosis.bottlenecks)}
    return {
        "name": name,
        "family": family,
        "device": {
            "id": spec.id, "name": spec.name, "arch": spec.arch, "dram_gb_s": spec.dram_gb_s,
        },
        **diagnosis_document(diagnosis),
        "advice": [_step(step, evidence) for step in steps],
        "withheld": list(withheld),
    }  # fmt: skip


def launch_document(launch: Launch) -> Document:
    """One launch with all that was counted of it, each value with its unit and the tool's name for it."""
    from ...profiling.counters.vocabulary import vocabulary

    units = vocabulary()
    return {
        "index": launch.index,
        "grid_blocks": launch.grid_blocks,
        "block_threads": launch.block_threads,
        "readings": {
            key: {"value": reading.value, "unit": units[key].unit, "source": reading.source}
            for key, reading in launch.readings.items()
        },
        "remarks": [
            remark for remark in launch.remarks if remark.kind == "OPT" or remark.speedup_pct is not None
        ],
        "flags": launch.flags,
    }


def _step(step: Step, evidence: Mapping[str, str]) -> Document:
    bound = step.bound
    return {
        "technique": step.technique,
        "title": step.title,
        "for": step.bottleneck or None,
        "evidence": evidence.get(step.bottleneck),
        "why": step.why,
        "at_most": round(bound.at_most, 3) if bound else None,
        "at_most_how": bound.how if bound else None,
        "card_effect": step.effect,
        "cost": step.cost,
        "risk": step.risk,
        "check": step.check,
        "conflicts": step.conflicts,
        "transform": step.transform or None,
        "score": step.score,
        "citations": step.citations,
        "outcomes": [_past(past) for past in step.outcomes],
        "failures": [reason for past in step.outcomes for reason in past.reasons],
    }


def _past(past: Past) -> Document:
    return {**vars(past), "told": past.told()}
