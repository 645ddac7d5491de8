"""The finished file: imports, helpers, kernels, wrappers and `class ModelNew`."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.export.graph_signature import OutputKind
from torch.utils import _pytree as pytree

from ..extent import Extent
from ..math import helper_sources
from ..partition import Partition
from ..rewrite import is_in_place, op_name
from ..space import CannotFuseError
from ..steps import Step, TorchCall
from ..traces import Traces
from . import descriptors
from .calls import torch_call
from .kernel import Kernel
from .layout import laid_out
from .names import Names, state_path, state_source
from .original import Original
from .wrapper import Wrapper

_NN = ("import torch.nn as nn", "from torch import nn")
_FUNCTIONAL = ("import torch.nn.functional as F", "from torch.nn import functional as F")
LONGEST_CONSTANT = 64
_ALWAYS = ("import torch", "import triton", "import triton.language as tl")


@dataclass(frozen=True)
class Part:
    """A region as written."""

    kernels: tuple[Kernel, ...]
    wrapper: Wrapper


@dataclass
class ModuleWriter:
    """Assembles the file; `inputs` maps placeholder names to the arguments of forward.

    `mode` is the mode of the model that the kernels were written for, "" where it makes no difference;
    `built_in` are settings of the model, such as `norm.eps`, that the file holds as constants, `given` those
    among the arguments of forward.
    """

    original: Original
    traces: Traces
    partition: Partition
    parts: Mapping[int, Part]
    inputs: Mapping[str, str]
    attributes: Mapping[str, Extent]
    header: str
    mode: str = ""
    built_in: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        taken = {*self.inputs.values(), *(p.wrapper.name for p in self.parts.values())}
        self._names = Names(self.traces.program, {}, {*taken, *self.original.kept_names})
        self._held: dict[fx.Node, str] = {}

    def write(self) -> str:
        parts = list(self.parts.values())
        helpers = helper_sources({h for p in parts for k in p.kernels for h in k.helpers})
        kernels = [k.source() for p in parts for k in p.kernels]
        wrappers = [p.wrapper.source for p in parts if p.wrapper.source]
        forward = self._forward()
        mode = f" in {self.mode} mode" if self.mode else ""
        model = self.original.class_source(
            forward,
            f"Same constructor, parameters and results as Model{mode}.",
            _built_in_check(self.built_in),
        )
        imports, kept = self.original.kept
        described = [d for p in parts for k in p.kernels for d in k.descriptors.values()]
        asked = any(isinstance(d, str) or d.pitch is None for d in described)
        host = [descriptors.HELPER.strip("\n")] if asked else []
        tail = [descriptors.IMPORT] if described else []
        blocks = [
            "\n".join([_imports(imports, "F." in forward), *tail]),
            *kept,
            *helpers,
            *kernels,
            *host,
            *wrappers,
            model,
        ]
        return f'"""{self.header}"""\n\n' + "\n\n\n".join(blocks) + "\n"

    def _forward(self) -> str:
        for node in self.traces.graph.find_nodes(op="placeholder"):
            self._held[node] = self._source(node)
        known = self._known()
        lines = [line for i, step in enumerate(self.partition.steps) for line in self._step(i, step, known)]
        result = self._result()
        if lines and lines[-1].startswith(f"{result} = "):
            lines[-1] = f"return {lines[-1].removeprefix(f'{result} = ')}"
        else:
            lines.append(f"return {result}")
        forward = self.original.forward
        returns = f" -> {ast.unparse(forward.returns)}" if forward.returns is not None else ""
        lines = [out for line in [*self._guard(), *lines] for out in laid_out(line, 1, margin=4)]
        return "\n".join([f"def forward({ast.unparse(forward.args)}){returns}:", *lines])

    def _guard(self) -> list[str]:
        lines = [line for name, value in self.given.items() for line in _given_check(name, value)]
        if not self.mode:
            return lines
        wrong = "not self.training" if self.mode == "training" else "self.training"
        return [
            *lines,
            f"if {wrong}:",
            f'    raise RuntimeError("these kernels are for a model in {self.mode} mode")',
        ]

    def _source(self, node: fx.Node) -> str:
        path = state_path(self.traces.program, node)
        if path is not None:
            return state_source(path)
        if node.name in self.inputs:
            return self.inputs[node.name]
        constant = self.traces.constant(node)
        return self._written_out(constant) if constant is not None else self._names.unique(node.name)

    def _written_out(self, constant: torch.Tensor) -> str:
        """A tensor that forward itself writes down, where forward wrote it."""
        if constant.numel() > LONGEST_CONSTANT:
            raise CannotFuseError(f"forward writes down a tensor of {constant.numel()} numbers")
        return f"torch.tensor({constant.tolist()}, dtype={constant.dtype}, device={self._like}.device)"

    @property
    def _like(self) -> str:
        """A tensor that is where new ones are to be."""
        if not self.inputs:
            raise CannotFuseError("forward takes no tensor, so there is none to take the device from")
        return next(iter(self.inputs.values()))

    def _known(self) -> dict[str, Extent]:
        known: dict[str, Extent] = {}
        for node, name in self._held.items():
            if hasattr(node.meta.get("val"), "shape"):
                known |= {f"{name}.shape[{d}]": size for d, size in enumerate(self.traces.shape(node))}
        return known | {state_source(path): size for path, size in self.attributes.items()}

    def _step(self, index: int, step: Step, known: Mapping[str, Extent]) -> list[str]:
        held = self._held
        if isinstance(step, TorchCall):
            try:
                text = torch_call(self.traces, step.node, held.__getitem__, known, self._like)
            except CannotFuseError as refusal:
                if op_name(step.node).startswith("_"):  # the reason is why no kernel does it
                    raise CannotFuseError(f"{step.reason}; {refusal}") from refusal
                raise
            if is_in_place(step.node):
                return [text]
            held[step.node] = self._names.name(step.node)
            return [f"{held[step.node]} = {text}"]
        wrapper = self.parts[index].wrapper
        arguments = [self._held[node] for node in wrapper.arguments]
        arguments += [state_source(path) for path in wrapper.numbers]
        call = f"{wrapper.name}({', '.join(arguments)})"
        for node in wrapper.results:
            held[node] = self._names.name(node)
        return [f"{', '.join(held[n] for n in wrapper.results)} = {call}" if wrapper.results else call]

    def _result(self) -> str:
        program = self.traces.program
        flat = list(self.traces.graph.output_node().args[0])  # type: ignore[arg-type]
        specs = program.graph_signature.output_specs
        returned = [n for n, s in zip(flat, specs, strict=True) if s.kind is OutputKind.USER_OUTPUT]
        spec = program.call_spec.out_spec
        if spec is None:
            raise CannotFuseError("the result of forward has no structure that can be written")
        leaves = [_Source(self._held[n] if isinstance(n, fx.Node) else repr(n)) for n in returned]
        return _tree_source(pytree.tree_unflatten(leaves, spec))


def _imports(imports: tuple[str, ...], functional: bool) -> str:
    """Torch and Triton, and what the constructor imports besides, standard library first."""
    nn = next((i for i in imports if i in _NN), _NN[1])
    aliased = [nn] if " as " in nn else []
    functional = functional or any(i in _FUNCTIONAL for i in imports)
    own = [i for i in imports if i not in (*_ALWAYS, *_NN, *_FUNCTIONAL)]
    common = ["import torch", *aliased, *([_FUNCTIONAL[0]] if functional else []), *_ALWAYS[1:]]
    return "\n".join([*own, *([""] if own else []), *common, *([] if aliased else [nn])])


@dataclass(frozen=True)
class _Source:
    text: str


def _tree_source(tree: object, *, nested: bool = False) -> str:
    if isinstance(tree, _Source):
        return tree.text
    if type(tree) is tuple:
        inner = ", ".join(_tree_source(t, nested=True) for t in tree) + ("," if len(tree) == 1 else "")
        return f"({inner})" if nested or len(tree) < 2 else inner
    if type(tree) is list:
        return f"[{', '.join(_tree_source(t, nested=True) for t in tree)}]"
    if type(tree) is dict:
        return "{" + ", ".join(f"{_key(k)}: {_tree_source(v, nested=True)}" for k, v in tree.items()) + "}"
    raise CannotFuseError(f"forward returns a {type(tree).__name__}, which this writer does not write")


def _key(key: object) -> str:
    return f'"{key}"' if isinstance(key, str) and '"' not in key else repr(key)


def _quoted(value: Any) -> str:
    """A literal with the quotes that the rest of the file has."""
    text = repr(value)
    return text if '"' in text else text.replace("'", '"')


def _given_check(name: str, value: Any) -> list[str]:
    """Lines that refuse another value of an argument than the kernels hold; none for NaN."""
    if value != value:
        return []
    held = f'float("{value}")' if value in (math.inf, -math.inf) else _quoted(value)
    differs = "is not" if value is None or isinstance(value, bool) else "!="
    told = f"these kernels are written for {name} = {value}, got ".replace("{", "{{").replace("}", "}}")
    return [
        f"if {name} {differs} {held}:",
        f"    raise ValueError(f{_quoted(told + f'{{{name}!r}}')})",
    ]


def _built_in_check(built_in: Mapping[str, Any]) -> str:
    """Lines that refuse a constructor call with settings other than those the kernels were written for."""
    if not built_in:
        return ""
    comma = "," if len(built_in) == 1 else ""
    held = ", ".join(state_source(path) for path in built_in)
    values = ", ".join(_quoted(value) for value in built_in.values())
    lines = [
        *laid_out(f"built_in = ({held}{comma})", 0, margin=8),
        *laid_out(f"if built_in != ({values}{comma}):", 0, margin=8),
        '    raise ValueError(f"these kernels are written for other settings than {built_in}")',
    ]
    return "\n".join(lines)
