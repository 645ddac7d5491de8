"""Reads the bodies of kernels: what only an interpreter would run is refused before it runs.

Triton compiles a small part of Python. Its interpreter runs all of it, so a kernel could call back into the
host, reach for the arrays behind its tensors, or read what was left in a global list.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator

from .names import nodes


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILTINS = _words("range min max len abs int float bool tuple list print sum zip enumerate reversed all any")

_ATTRIBUTES = _words("""
    T abs advance argmax argmin associative_scan atomic_add atomic_and atomic_cas atomic_max atomic_min
    atomic_or atomic_xchg atomic_xor broadcast_to cast cdiv ceil cos cumprod cumsum erf exp exp2 expand_dims
    flip floor gather histogram item log log2 logical_and logical_or max min permute ravel reduce reduce_or
    reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn store sum to trans view xor_sum dtype shape
    type element_ty scalar value numel ndim rank primitive_bitwidth int_bitwidth fp_mantissa_width load
    scatter block_shape block_type strides is_bf16 is_block is_bool is_floating is_fp16 is_fp32 is_fp64
    is_fp8 is_int is_int1 is_int8 is_int16 is_int32 is_int64 is_int_signed is_int_unsigned is_ptr
    is_standard_floating is_uint8 is_uint16 is_uint32 is_uint64 append
    """)
"""What triton 3.7's tensors, dtypes, descriptors and constants offer a kernel."""

_NOT_COMPILED = (
    ast.Lambda,
    ast.Try,
    ast.Raise,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.Break,
    ast.Continue,
    ast.Match,
    ast.Delete,
    ast.NamedExpr,
    ast.GeneratorExp,
    ast.DictComp,
    ast.SetComp,
)

FullName = Callable[[ast.AST], "str | None"]


class KernelText:
    """The kernels of one file; `full_name` resolves a dotted name that begins at an import."""

    def __init__(self, tree: ast.Module, kernels: list[ast.FunctionDef], full_name: FullName) -> None:
        self.kernels, self.full_name = kernels, full_name
        self.own = {kernel.name for kernel in kernels}
        self.fields = {
            one.target.id
            for node in nodes(tree)
            if isinstance(node, ast.ClassDef)
            for one in node.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        self.host = set(self._host_names(tree))

    def fault(self) -> tuple[ast.AST, str] | None:
        """The first thing in any kernel that a compiler would not take, with its place."""
        for kernel in self.kernels:
            local = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name) and _stored(node)}
            local |= {node.arg for node in ast.walk(kernel) if isinstance(node, ast.arg)}
            for statement in kernel.body:
                for node in ast.walk(statement):
                    told = self._told(node, local)
                    if told:
                        return node, f"kernel {kernel.name} {told}, which only an interpreter can run"
        return None

    def _told(self, node: ast.AST, local: set[str]) -> str:
        if isinstance(node, _NOT_COMPILED):
            return f"holds a {type(node).__name__.lower()}"
        if isinstance(node, ast.For | ast.While) and _returns(node):
            return "returns from inside of a loop"
        if isinstance(node, ast.Compare) and (
            len(node.ops) > 1 or isinstance(node.ops[0], ast.In | ast.NotIn)
        ):
            return f"compares {ast.unparse(node)} in one"
        if isinstance(node, ast.For) and not isinstance(node.iter, ast.Call):
            return f"goes around {ast.unparse(node.iter)}"
        if isinstance(node, ast.Attribute) and self.full_name(node) is None:
            known = node.attr in _ATTRIBUTES or node.attr in self.fields
            return "" if known else f"reaches for .{node.attr}"
        if isinstance(node, ast.Name) and not _stored(node) and node.id not in local | self.own:
            return self._named(node)
        return ""

    def _named(self, node: ast.Name) -> str:
        imported = self.full_name(node)
        if imported is not None:
            return "" if imported.split(".")[0] == "triton" else f"uses {imported}"
        if node.id in self.host:
            return f"uses {node.id}, which is the host's"
        return "" if node.id in _BUILTINS or not hasattr(builtins, node.id) else f"uses {node.id}"

    def _host_names(self, tree: ast.Module) -> Iterator[str]:
        """Functions, classes and variables of the module that are no kernels and no constants."""
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name not in self.own:
                marks = [self.full_name(mark) for mark in node.decorator_list]
                if "triton.constexpr_function" not in marks:  # which a compiler calls as well
                    yield node.name
            elif isinstance(node, ast.Assign | ast.AnnAssign) and not self._constant(node.value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (one.id for one in targets if isinstance(one, ast.Name))

    def _constant(self, value: ast.expr | None) -> bool:
        """Literals and arithmetic of them, `tl.constexpr(...)`, and names of triton's such as dtypes."""
        if isinstance(value, ast.Call):
            full = self.full_name(value.func) or ast.unparse(value.func)
            return full.startswith("triton.") or full == "float"
        if isinstance(value, ast.Attribute):
            return (self.full_name(value) or "").split(".")[0] in ("triton", "math")
        if isinstance(value, ast.Tuple | ast.BinOp | ast.UnaryOp):
            return all(
                self._constant(one) for one in ast.iter_child_nodes(value) if isinstance(one, ast.expr)
            )
        return isinstance(value, ast.Constant)


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _returns(loop: ast.For | ast.While) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(loop))
