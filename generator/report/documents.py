"""Turns what the rooms give into the documents that the command line promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...hardware_specs.device import DeviceSpec
    from ...kb.ingest import Report
    from ...profiling.classify import Bottleneck, Diagnosis
    from ...profiling.doctor import Check
    from ...profiling.profile import Profile
    from ...retrieval.advise import Advice
    from ...retrieval.find import Answer


Document = dict[str, Any]
LISTED_RATES = ("fp32", "tensor_tf32", "tensor_bf16", "tensor_fp8")


def specs_document(specs: Iterable[DeviceSpec]) -> Document:
    """One row per device: what tells them apart."""
    return {
        "devices": [
            {
                "id": spec.id,
                "name": spec.name,
                "target": spec.target,
                "units": spec.unit_count,
                "memory_gb": spec.memory_gb,
                "dram_gb_s": spec.dram_gb_s,
                **{f"{rate}_tflops": spec.peak_tflops.get(rate) for rate in LISTED_RATES},
            }
            for spec in specs
        ]
    }


def spec_document(spec: DeviceSpec) -> Document:
    """One device: the neutral properties, then the vendor's own sheet with the sources of each section."""
    from ...hardware_specs.spec import sources

    sheet = spec.sheet.model_dump(mode="json", by_alias=True, exclude_none=True)
    used = sorted(set(_source_keys(sheet)))
    neutral = {field.name: getattr(spec, field.name) for field in fields(spec) if field.name != "sheet"}
    return {
        **neutral,
        "arch": spec.arch,
        "sheet": sheet,
        "sources": {key: sources()[key].model_dump(mode="json", exclude_none=True) for key in used},
    }


def _source_keys(value: Any) -> Iterator[str]:
    """Every key in a `sources` list, at any depth."""
    if isinstance(value, Mapping):
        yield from value.get("sources", ())
        for item in value.values():
            yield from _source_keys(item)


def devices_document() -> Document:
    """The card in this machine, or why there is none that kbgen can use."""
    from ...profiling.device import DeviceError, detect

    try:
        return {"devices": [detect("auto").to_json()], "reason": ""}
    except DeviceError as error:
        return {"devices": [], "reason": str(error)}


def doctor_document(checks: Iterable[Check]) -> Document:
    """Each check with its status in a word."""
    shown = ("name", "status", "found", "cure")
    return {"checks": [{name: getattr(check, name) for name in shown} for check in checks]}


def search_document(answer: Answer) -> Document:
    """The hits, how they were found, and what the query was taken for."""
    found = answer.result
    results = [{field.name: getattr(hit, field.name) for field in fields(hit)} for hit in found.hits]
    return {
        "mode": found.mode,
        "note": found.note,
        "asked_as": answer.asked.form,
        "query": answer.asked.text,
        "archs": answer.archs,
        "results": results,
    }


def ingest_document(report: Report) -> Document:
    """What became of every document; of a new release, its sections beside the old one's."""
    by_status = {
        status: [taken.source for taken in report.of(status)]
        for status in ("added", "changed", "unchanged", "duplicate")
    }
    kept = ("source", "page_id", "status", "supersedes", "changes", "flags")
    return {
        **by_status,
        "refused": [{"path": taken.source, "reason": taken.reason} for taken in report.of("refused")],
        "documents": [
            {name: getattr(taken, name) for name in kept}
            for taken in report.taken
            if taken.status in ("added", "changed") or taken.flags
        ],
    }


def diagnosis_document(diagnosis: Diagnosis) -> Document:
    """What holds the subject back, what cannot be told, and where it stands under the roofline."""
    return {
        "level": diagnosis.level,
        "bottlenecks": [_bottleneck(found) for found in diagnosis.bottlenecks],
        "undecided": diagnosis.undecided,
        "roofline": diagnosis.roofline,
    }


def profile_document(profile: Profile, diagnosis: Diagnosis) -> Document:
    """Graph, compiled code and timing of one subject, as far as they were had, and the diagnosis."""
    traced, static = profile.traced, profile.static
    return {
        "op": traced.op.name,
        "family": traced.family,
        "device": profile.spec.id,
        "flops": traced.flops,
        "bytes_min": traced.bytes_min,
        "dtypes": traced.dtypes,
        "fingerprint": traced.fingerprint,
        "kernels": [{"name": kernel.name, "static": kernel} for kernel in static.kernels] if static else [],
        "rejections": static.rejections if static else [],
        "timing": profile.timing,
        "notes": profile.notes,
        **diagnosis_document(diagnosis),
    }


def advise_document(name: str, diagnosis: Diagnosis, advice: Advice) -> Document:
    """The diagnosis of one kernel or op with the techniques for it, each with its passages."""
    kernel = {
        "name": name,
        "bottlenecks": [_bottleneck(found) for found in diagnosis.bottlenecks],
        "advice": [*advice.steps, *advice.reading],
        "withheld": advice.withheld,
    }
    return {
        "level": diagnosis.level,
        "mode": advice.mode,
        "note": advice.note,
        "query": advice.query,
        "kernels": [kernel],
    }


def _bottleneck(found: Bottleneck) -> Document:
    return {
        "class": found.cls,
        "confidence": found.confidence,
        "evidence": found.evidence,
        "kernel": found.kernel,
    }
