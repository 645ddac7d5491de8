"""Judges a candidate in CUDA C++: by its text, by how it compiles, and where the card is here by running it.

No interpreter runs CUDA C++. Without a card such a candidate can be refused, and never passes: what its
kernels compute, which addresses they touch and whether they race stays unknown, and the verdict says so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from ...profiling.cuda_source import calls
from ...profiling.cuda_static import CudaKernel, CudaReport, inspect_cuda
from ...profiling.cuda_text import without_comments
from ...profiling.op import OpError
from .card import OnCard
from .stages.record import Record
from .stages.settings import settings
from .text.scan import scan
from .verdict import Fault, Verdict

LABEL = "cuda-c++"
_LIBRARY = re.compile(
    r"\w*cu(?:blas|dnn|sparse|solver|fft|tensor)\w*|\bmiopen\w*|\b(?:roc|hip)(?:blas|fft|sparse|solver)\w*"
    r"|\b(?:torch|at|c10)(?:::\w+)*::(?!empty|zeros|full|device\b|dtype\b|kFloat)[a-z]\w*\s*(?=\()",
    re.IGNORECASE,
)
"""What computes in a kernel's stead when C++ calls it, however deep it is qualified; torch's functions that
only allocate do not."""

_HARMLESS = re.compile(
    r"(?:at|c10)::cuda::\w+|(?:torch|at|c10)::(?:\w+::)*(?:is\w+|get\w*|TensorOptions|ScalarType|device\w*|dtype)"
    r"|c10::(?:div_up|ceil_div|OptionalDeviceGuard|value_or_else)",
)
"""Streams, guards, properties and questions."""

_HIDING = re.compile(
    r"\b(?:dlopen|dlsym|LoadLibrary\w*|system|popen|fork|exec[lv]\w*)\s*(?=\()|##|\busing\s+namespace\s+(?:at|torch)\b"
)
"""Ways to call what the text does not name."""

_LOADERS = "torch.utils.cpp_extension"
NOT_RUN = "values, addresses and races were not judged, for nothing here runs CUDA C++"


def judge_cuda(record: Record, scratch: Path, live: bool) -> Verdict:
    """The verdict on the candidate of `record`, whose text hands CUDA C++ to a loader of torch's; where the
    target is the card in this machine (`live`), by running it there."""
    record.labels.add(LABEL)
    with record.clock("scan"):
        record.scan = scan(python_side(record.source), record.allowed_calls)
    fault = record.scan.fault or library_fault(record.source)
    if fault:
        return record.failed(fault)
    if record.spec is None:
        said = f"it is CUDA C++, and no target was named to compile it for; {NOT_RUN}"
        return record.inconclusive("unsupported", said)
    with record.clock("static"):
        report = inspect_cuda(record.source, record.spec, scratch / "static")
    record.fields["target"] = _document(report, record.spec.id)
    record.notes += [] if live else [f"not checked: {said}" for said in (*report.unchecked, NOT_RUN)]
    record.notes += [f"compiled for {report.target}: {said}" for said in report.spills]
    if report.rejections:
        compiled = bool(report.kernels)
        return record.failed(Fault("over-limit" if compiled else "does-not-compile", report.rejections[0]))
    if report.unknown:
        return record.inconclusive("unsupported", f"{report.unknown}; {NOT_RUN}")
    if live:
        return _on_card(record, scratch)
    names = f"its kernels ({', '.join(kernel.name for kernel in report.kernels)})"
    return record.inconclusive(
        "unsupported", f"{names} compile for {report.target} with {report.compiler}; {NOT_RUN}"
    )


def library_fault(source: str) -> Fault | None:
    """A library that its C++ calls, or a way around its text; comments say nothing, nor does Python."""
    for text in _sources(source):
        hidden = _HIDING.search(text)
        if hidden:
            return Fault("forbidden-code", f"its C++ may call what it does not name ({hidden[0].strip()})")
        named = next((one for one in _LIBRARY.finditer(text) if not _HARMLESS.match(one[0])), None)
        if named:
            return Fault("library-call", f"its C++ names {named[0].strip()}")
    return None


def _sources(source: str) -> Iterator[str]:
    """Every string of a file that loads C++, but for docstrings, without C++ comments; neighbours in the
    text are one, as a compiler has them."""
    tree = ast.parse(source)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield re.sub(r'"\s*"', "", without_comments(node.value))


def _on_card(record: Record, scratch: Path) -> Verdict:
    try:
        with record.clock("shapes"):
            found = settings(record.op, record.mode, record.seed)
    except OpError as error:
        return record.inconclusive("no-oracle", str(error))
    if not found:
        return record.inconclusive("no-oracle", "no smaller shape of this op was found to judge it at")
    record.fields["shapes"] = {setting.name: dict(setting.op.overrides) for setting in found}
    return OnCard(record, found, scratch / "card").verdict()


def python_side(source: str) -> str:
    """The file as a reader of Python alone sees it: loaders are nothing, no method of what they made has
    the name of a tensor's. Lines stay where they are."""
    lines = source.splitlines(keepends=True)
    for node, text in sorted(_blanked(source), key=lambda pair: _place(pair[0]), reverse=True):
        _replace(lines, node, text)
    return "".join(lines)


def _blanked(source: str) -> Iterator[tuple[ast.stmt | ast.expr, str]]:
    tree, found = ast.parse(source), calls(source)
    made = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and any(_same(node.value, call.node) for call in found)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if _imports_loader(node):
            yield node, "pass"
        elif isinstance(node, ast.Call) and any(_same(node, call.node) for call in found):
            yield node, "None"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and _own(node.func.value, made)
        ):
            yield node.func, f"{ast.unparse(node.func.value)}.own_{node.func.attr}"


def _imports_loader(node: ast.AST) -> TypeGuard[ast.stmt]:
    if isinstance(node, ast.ImportFrom):
        whole = node.module == "torch.utils" and [one.name for one in node.names] == ["cpp_extension"]
        return node.module == _LOADERS or whole
    return isinstance(node, ast.Import) and all(one.name == _LOADERS for one in node.names)


def _own(value: ast.expr, made: set[str]) -> bool:
    """What a loader gave, by its name or as an attribute of the model that is called like it."""
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self":
        return value.attr in made
    return isinstance(value, ast.Name) and value.id in made


def _same(node: ast.expr, other: ast.expr) -> bool:
    return type(node) is type(other) and _place(node) == _place(other)


def _place(node: ast.stmt | ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0


def _replace(lines: list[str], node: ast.stmt | ast.expr, text: str) -> None:
    """Put `text` where `node` stands, its line ends behind it; ast counts columns in UTF-8 bytes."""
    first, start, last, end = _place(node)
    head = lines[first - 1].encode()[:start].decode()
    tail = lines[last - 1].encode()[end:].decode()
    lines[first - 1 : last] = [head + text + tail.rstrip("\n"), *["\n"] * (last - first + 1)]


def _document(report: CudaReport, device: str) -> dict[str, Any]:
    """The evidence as it stands in the verdict, in the words of a Triton candidate's."""
    return {
        "device": device,
        "arch": report.target,
        "compiler": report.compiler,
        "kernels": [_kernel(kernel) for kernel in report.kernels],
        "complaints": [*report.rejections, *report.spills],
        "not_checked": [*report.unchecked, NOT_RUN],
    }


def _kernel(kernel: CudaKernel) -> dict[str, Any]:
    held = kernel.occupancy
    return {
        "name": kernel.name,
        "registers": kernel.registers,
        "spill_bytes": kernel.spill_bytes,
        "shared_bytes": kernel.shared_bytes,
        "most_threads": kernel.most_threads,
        "occupancy": held.fraction if held else None,
        "load_bits": dict(kernel.load_bits),
        "store_bits": dict(kernel.store_bits),
        "instructions": dict(kernel.instructions),
    }
