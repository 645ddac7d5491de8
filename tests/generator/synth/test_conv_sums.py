"""Convolutions of fp32 parts stay within the fp32 class on units that cut their sums off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kbgen.generator.writers.synth.convolutions import convolution_of
from kbgen.generator.writers.synth.program import Program, write_program
from kbgen.generator.writers.synth.schedule import Schedule, start_schedule

WORST = 6e-7
"""Relative error in the Frobenius norm: the judge allows 1e-6, six products in one chain show 1.8e-6."""

PACKED = Schedule("convolution", block=32, rows=16, depth=16, dot="bf16x6", stretch=512)
FORMS = {"brought by threads": PACKED, "boxes": replace(PACKED, depth=32, descriptors=True)}


SIZES = {"batch": 1, "channels": 64, "side": 3}


def test_sums_over_many_channels_lose_nothing_to_truncation(
    sized: Callable[..., Program],
    interpret: Callable[..., dict[str, dict[str, Any]]],
) -> None:
    program = sized("transposed_convolutions", **SIZES)
    sources = {}
    for form, packed in FORMS.items():
        plans = {}
        for number, loops in program.loops.items():
            conv = convolution_of(loops)
            fits = conv is not None and (conv.boxes or not packed.descriptors)
            plans[number] = packed if fits else start_schedule(loops)
        assert any(plan is packed for plan in plans.values())
        sources[form] = write_program(program, plans, "sums")
    outcomes = interpret("transposed_convolutions", sources, SIZES, truncating=True)
    assert {form: o for form, o in outcomes.items() if not o.get("worst", 1.0) < WORST} == {}
