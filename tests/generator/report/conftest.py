"""A made-up optimize document: its numbers come from no run and stand for nothing."""

from typing import Any

import pytest


@pytest.fixture
def result() -> dict[str, Any]:
    """An `unmeasured` result of an imaginary op, with every key that the renderers read."""
    citation = {
        "title": "A made-up guide",
        "section": "Wide loads",
        "version": "1.2",
        "source": "https://x.test/a",
    }
    return {
        "status": "unmeasured",
        "op": "madeup_norm",
        "family": "norm",
        "device": {"asked": "h100", "used": "nvidia-h100-sxm5", "live": False},
        "precision": "fp32",
        "mode": "as-is",
        "writer": "synth",
        "knowledge": True,
        "verified": True,
        "speedup": None,
        "baselines": {},
        "kernels": [
            {
                "name": "madeup_rows",
                "static": {
                    "registers": 40,
                    "spill_bytes": 0,
                    "shared_bytes": 512,
                    "load_bits": {"128": 4, "32": 1},
                    "store_bits": {"128": 4},
                    "num_warps": 8,
                    "occupancy": {"fraction": 0.75, "limiter": "registers"},
                    "waves": 3.875,
                },
            }
        ],
        "traffic_ratio": 1.0,
        "choices": [
            {"choice": "tile", "value": 4096, "why": "one row | one tile", "citation": citation},
            {"choice": "num_warps", "value": 8, "why": "16 elements a thread", "citation": None},
        ],
        "advice": [],
        "diagnosis": [
            {"class": "dram_bandwidth", "confidence": "medium", "evidence": "dram_bandwidth (medium): x=1"}
        ],
        "declined": [{"transform": "split-reduction", "reason": "made-up rows are short"}],
        "attainable_us": 40.0,
        "estimate_us": 48.5,
        "steps": [
            {
                "technique": "wide-loads",
                "transform": "vectorise",
                "outcome": "helped",
                "kept": True,
                "evidence": "estimated",
                "effect": 1.875,
                "reason": "128-bit loads",
                "citations": [citation],
            }
        ],
        "verdict": {
            "verdict": "passed",
            "cause": None,
            "detail": "",
            "oracle_error": 2.5e-07,
            "baseline_error": 3e-07,
            "labels": ["algorithmic"],
            "notes": ["A made-up note."],
            "library_calls": [],
            "controls": {"zeros": "rejected", "constant": "rejected"},
            "cases": [
                {"name": "small/normal", "outcome": "passed", "oracle_error": 2.5e-07, "budget": 1e-06},
                {"name": "odd/scaled", "outcome": "skipped", "oracle_error": float("nan"), "budget": None},
            ],
        },
        "limits": ["Not run on the card."],
        "candidate_path": "kbgen-out/madeup_norm_optimized.py",
        "report_path": "kbgen-out/report.md",
        "recorded": "ep-0000",
        "reason": "",
        "versions": {"kbgen": "0.1.0", "torch": "2.13.0", "triton": None},
        "elapsed_s": 12.34,
        "command": "kbgen optimize madeup_norm.py --gpu h100",
    }
