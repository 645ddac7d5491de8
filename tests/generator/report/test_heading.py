"""The head of a kernel file: what it says once the kernel was judged, and that the code stays as it was."""

from typing import Any

from kbgen.generator.report.heading import headed

SOURCE = '''"""scale for A Device: one fused region, written by kbgen.

Planned for inputs [64, 64] float32; sizes are read from the tensors at run time.
"""

import torch


def scale(x):
    # BLOCK = 64: a row of 64 elements is held
    #     in registers
    return x
'''

DOCUMENT: dict[str, Any] = {
    "versions": {"torch": "2.11.0", "triton": "3.6.0"},
    "device": {"arch": "sm_90"},
    "writer": "synth",
    "choices": [
        {"choice": "fusion", "value": "2 operators in one kernel", "why": "they share the row"},
        {"choice": "BLOCK", "value": 64, "why": "a row of 64 elements is held in registers"},
    ],
    "precision": "fp32",
    "verified": True,
    "verdict": {
        "cause": None,
        "cases": [{"outcome": "passed"}, {"outcome": "passed"}, {"outcome": "skipped"}],
        "shapes": {"small": {"batch": 16, "dim": 128}, "odd": {"batch": 13, "dim": 127}, "full": {}},
    },
}

HEAD = '''"""scale for A Device: one fused region, written by kbgen.

Planned for inputs [64, 64] float32; sizes are read from the tensors at run time.

Compiled for sm_90 by triton 3.6.0 and torch 2.11.0.

Decided, beside what the comments below tell:
    fusion = 2 operators in one kernel: they share the row

Verified against float64 within the error of fp32, 2 calls in Triton's interpreter; sizes that are not named
are those of the op file:
    batch=16, dim=128
    batch=13, dim=127
    as in the op file
"""
'''


def test_a_verified_kernel_tells_target_toolchain_decisions_and_sizes() -> None:
    body = SOURCE.partition('time.\n"""\n')[2]
    assert headed(SOURCE, DOCUMENT) == HEAD + body


def test_what_the_judge_left_open_is_not_called_verified() -> None:
    open_ = {**DOCUMENT, "verified": False, "verdict": {**DOCUMENT["verdict"], "cause": "degenerate"}}
    told = headed(SOURCE, open_)
    assert "Not verified (degenerate)" in told
    assert "Verified against" not in told
    assert "batch=16" not in told


def test_what_is_told_cannot_end_the_docstring() -> None:
    sly = {**DOCUMENT, "choices": [{"choice": "x", "value": 1, "why": 'a """ + exit() + """ b \\'}]}
    told = headed(SOURCE, sly)
    namespace: dict[str, Any] = {}
    exec(told.replace("import torch", ""), namespace)
    assert "exit()" in namespace["__doc__"]
    assert told.endswith(SOURCE.partition('time.\n"""\n')[2])


def test_a_given_kernel_that_was_set_anew_tells_it_below_the_line_that_says_so() -> None:
    told = headed("# Set by kbgen for A Device: k: BLOCK 64 -> 32.\n" + SOURCE, DOCUMENT)
    assert told.startswith(
        "# Set by kbgen for A Device: k: BLOCK 64 -> 32.\n"
        "# Compiled for sm_90 by triton 3.6.0 and torch 2.11.0.\n"
        "# Verified against float64 within the error of fp32, 2 calls"
    )
    assert told.endswith("#     as in the op file\n" + SOURCE)


def test_a_file_without_a_head_stays_as_it_was_judged() -> None:
    plain = "import torch\n"
    assert headed(SOURCE, {**DOCUMENT, "writer": "llm:a model"}) == SOURCE
    assert headed(plain, DOCUMENT) == plain
    assert headed('"""never ended', DOCUMENT) == '"""never ended'
