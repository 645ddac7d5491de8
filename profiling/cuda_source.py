"""Reads the CUDA C++ out of a candidate file, as text: the device code alone, its lines where they stand.

A candidate in CUDA C++ is a Python file that hands its source to `torch.utils.cpp_extension.load_inline`, as
KernelBench's do, or to `torch.cuda._compile_kernel`. Nothing of it is run to find that source: it must be a
string literal, or a module-level name of one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .cuda_text import Item, items, without_comments

LOADERS = {"load_inline": ("cuda_sources", 2), "_compile_kernel": ("kernel_source", 0)}
"""Which argument holds the CUDA source, by its name and its place."""

_KERNEL = re.compile(r"__global__[^;{}()]*?(?:__launch_bounds__\s*\([^()]*\)[^;{}()]*?)?\b(\w+)\s*\(")
_LAUNCH = re.compile(r"\b(\w+)\s*<\s*([^<>;{}]*(?:<[^<>]*>[^<>;{}]*)*)>\s*<<<")
_TORCH = re.compile(r"\b(?:torch|at|c10)::|\bTORCH_\w+|\bPYBIND11_MODULE\b|\bAT_DISPATCH\w*")
_CLOSED = re.compile(r"[\w\s,:*&<>.-]*")
_OPEN_TYPES = re.compile(
    r"\b(?:[A-Z]\d?|[A-Z]\w*_T|[A-Z]\w*|\w+_t)\b(?<!int8_t)(?<!int16_t)(?<!int32_t)(?<!int64_t)"
)
"""What stands for a type inside of a template, or of torch's dispatch macros."""

_HEADERS = re.compile(
    r"(?:cuda|cooperative_groups|mma|crt/|sm_|vector_|math_|device_)[\w/]*(?:\.h|\.hpp)?|cub/[\w/]+\.cuh"
)
_OF_THE_HOST = re.compile(
    r"(?:torch|ATen|c10|pybind11)/.*|Python\.h|c?(?:stdio|stdlib|math|float|limits|stdint|stddef|assert|string)"
    r"(?:\.h)?|iostream|sstream|vector|string|stdexcept|memory|functional|map|unordered_map|chrono|optional"
)
"""Headers without which device code is as good, given what stands before it (`cuda_static.py`)."""

_SHARED = re.compile(
    r"\s*(?:template\s*<[^;{]*>\s*)?(?:struct|class|union|enum|using|typedef|(?:static\s+|inline\s+)*constexpr|"
    r"(?:static\s+)?const\s+\w[\w\s]*(?:\[[^\]]*\]\s*)?[={])"
)
"""Types and constants; a function that returns a const value has a bracket before any of the last signs."""


@dataclass(frozen=True)
class CudaText:
    """The device code of one source. `line` is where its first line stands in the file; `kernels` are its
    plain kernels, `instances` those templates that the host code launches with arguments that stand there,
    `open_kernels` templates of which no such launch is seen; `lacking` are headers that device code may need
    and that are not CUDA's; `torch_types` says that device code uses torch's own, which no compiler here
    knows."""

    text: str
    line: int
    kernels: tuple[str, ...]
    instances: tuple[str, ...]
    open_kernels: tuple[str, ...]
    lacking: tuple[str, ...]
    torch_types: bool
    dynamic_shared: bool

    @property
    def expressions(self) -> tuple[str, ...]:
        """What to ask the compiler for, kernel by kernel."""
        return (*self.kernels, *self.instances)


@dataclass(frozen=True)
class CudaCall:
    """One call of a loader; `text` is None where its source is not a string that stands in the file."""

    node: ast.Call
    loader: str
    literal: ast.expr
    text: str | None

    @property
    def line(self) -> int:
        return self.literal.lineno


def is_cuda(source: str) -> bool:
    """Whether a file hands CUDA C++ to a loader; a file that does not parse does not."""
    return any(name in source for name in LOADERS) and bool(calls(source))


def calls(source: str) -> list[CudaCall]:
    """The calls of loaders in the order of the text."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    known = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        name = _called(node)
        if isinstance(node, ast.Call) and name in LOADERS:
            keyword, place = LOADERS[name]
            given = next((one.value for one in node.keywords if one.arg == keyword), None)
            if given is None and len(node.args) > place:
                given = node.args[place]
            several = given.elts if isinstance(given, ast.List | ast.Tuple) else [given] if given else []
            found += [_call(node, name, one, known) for one in several]
    return sorted(found, key=lambda call: call.node.lineno)


def cuda_texts(source: str) -> list[CudaText]:
    """The device code of each source that stands in the file as a string."""
    seen: dict[tuple[str, int], None] = {
        (call.text, call.line): None for call in calls(source) if call.text is not None
    }
    return [_device_code(text, line) for text, line in seen]


def without_kernels(source: str) -> str:
    """The file with every kernel's body empty, so that nothing is computed where it launches them. Sources
    that are no plain strings stay as they are."""
    lines = source.splitlines(keepends=True)
    for call in reversed(calls(source)):
        if call.text is not None:
            text = "".join(_idle(item) for item in items(without_comments(call.text)))
            first, last = call.literal.lineno - 1, call.literal.end_lineno or call.literal.lineno
            head = lines[first].encode()[: call.literal.col_offset].decode()
            tail = lines[last - 1].encode()[call.literal.end_col_offset :].decode()
            lines[first:last] = [f"{head}{text!r}{tail}"]
    return "".join(lines)


def _idle(item: Item) -> str:
    head, brace, _ = item.text.partition("{")
    return f"{head}{{}}" if brace and "__global__" in head else item.text


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _call(node: ast.Call, name: str, given: ast.expr, known: dict[str, ast.expr]) -> CudaCall:
    if isinstance(given, ast.Name):
        given = known.get(given.id, given)
    plain = isinstance(given, ast.Constant) and isinstance(given.value, str)
    return CudaCall(node, name, given, given.value if plain else None)  # type: ignore[attr-defined]


def _device_code(text: str, line: int) -> CudaText:
    """Host code gives way to blank lines, so that a compiler's line numbers lead back."""
    plain = without_comments(text)
    parts: list[str] = []
    host: list[str] = []
    lacking: list[str] = []
    torch_types = False
    for item in items(plain):
        header = _header(item.text) if item.kind == "include" else ""
        if item.kind == "include" and not _HEADERS.fullmatch(header):
            lacking += [] if _OF_THE_HOST.fullmatch(header) else [header]
        elif item.kind in ("include", "directive", "space") or _on_device(item):
            parts.append(item.text)
            torch_types = torch_types or (item.kind == "item" and bool(_TORCH.search(item.text)))
            continue
        else:
            host.append(item.text)
        parts.append("\n" * item.text.count("\n"))
    device = "".join(parts)
    launched = dict.fromkeys(_instances("".join(host)))
    templates = set(_templates(device))
    plain_kernels = [name for name in _KERNEL.findall(device) if name not in templates]
    instances = [one for one in launched if one.partition("<")[0] in templates]
    seen = {one.partition("<")[0] for one in instances}
    return CudaText(
        text=device,
        line=line,
        kernels=tuple(dict.fromkeys(plain_kernels)),
        instances=tuple(instances),
        open_kernels=tuple(sorted(templates - seen)),
        lacking=tuple(lacking),
        torch_types=torch_types,
        dynamic_shared=bool(re.search(r"\bextern\s+__shared__", device)),
    )


def _header(include: str) -> str:
    named = re.search(r'[<"]([^<>"]*)[>"]', include)
    return named[1] if named else "a macro's"


def _on_device(item: Item) -> bool:
    """Functions of the device by their mark; types and constants, which may serve both sides, unless they are
    made of torch's."""
    if re.search(r"__(?:global|device|constant|managed)__", item.text.partition("{")[0]):
        return True
    if item.kind in ("open", "close"):
        return True
    return bool(_SHARED.match(item.text)) and not _TORCH.search(item.text)


def _templates(device: str) -> Iterator[str]:
    """Names of kernels that are templates."""
    for item in items(device):
        if re.match(r"\s*template\s*<", item.text):
            found = _KERNEL.search(item.text)
            if found:
                yield found[1]


def _instances(host: str) -> Iterator[str]:
    """`name<args>` of launches whose arguments name no type of a template around them."""
    for name, arguments in _LAUNCH.findall(host):
        if _CLOSED.fullmatch(arguments) and not _OPEN_TYPES.search(arguments):
            yield f"{name}<{' '.join(arguments.split())}>"
