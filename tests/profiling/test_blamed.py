"""A compiler's complaint names the line of the candidate, wherever in the chain of calls the fault stands."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kbgen.profiling.blamed import blamed, innermost
from kbgen.profiling.compile import Attempt, compile_all
from kbgen.profiling.launches import Launch, Request, Variant

FILE = '''"""Adds one."""

import triton
import triton.language as tl


@triton.jit
def more(x):
    y = x + 1
    {inner}
    return y


@triton.jit
def more_kernel(x_ptr):
    offsets = tl.arange(0, 64)
    x = more(tl.load(x_ptr + offsets))
    {outer}
    tl.store(x_ptr + offsets, x)
'''
ASM = 'x = tl.inline_asm_elementwise("bogus $0, $1;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)'


def attempt(folder: Path, inner: str = "pass", outer: str = "pass") -> Attempt:
    """What comes of compiling the file's kernel for an H100."""
    path = folder / "kernel_file.py"
    path.write_text(FILE.format(inner=inner, outer=outer))
    spec = spec_from_file_location(f"kernel_of_{folder.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = module.more_kernel
    source = ASTSource(kernel, {"x_ptr": "*fp32"}, {})
    request = Request(source, GPUTarget("cuda", 90, 32), {})
    return compile_all([Launch("more_kernel", (Variant(request, (1, 1, 1), ""),))], 1 << 17)[0][0]


@pytest.mark.parametrize(
    ("inner", "outer", "said"),
    [
        ("y = tl.nope(y)", "pass", "has no attribute 'nope'\") (line 10: `y = tl.nope(y)`)"),
        ("pass", "x = x + tl.arange(0, 3)", "power of 2 (line 18: `x = x + tl.arange(0, 3)`)"),
        ("pass", "x = tl.softmax(x, 7)", "(line 18: `x = tl.softmax(x, 7)`)"),
        ("pass", ASM, "instruction: 'bogus' (line 18: `x = tl.inline_asm_elementwise("),
    ],
    ids=["in a called function", "in the kernel", "in triton's own function", "for ptxas"],
)
def test_the_line_is_named(tmp_path: Path, inner: str, outer: str, said: str) -> None:
    tried = attempt(tmp_path, inner, outer)
    assert tried.compiled is None
    assert said in tried.error
    assert str(tmp_path) not in tried.error
    assert ".ptx" not in tried.error


def test_a_fault_that_no_line_is_known_of_is_told_without_one(tmp_path: Path) -> None:
    assert blamed(ValueError("made up"), "", str(tmp_path / "absent.py")) == ""
    outer = ValueError("outer")
    outer.__cause__ = KeyError("inner")
    assert innermost(outer) is outer.__cause__
