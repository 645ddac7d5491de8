"""The finished file: imports, helpers, kernels, wrappers and `class ModelNew`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from torch import fx
from torch.utils import _pytree as pytree

from ..extent import Extent
from ..lowering.region import Region
from ..math import helper_sources
from ..partition import Partition, TorchCall
from ..space import CannotFuse
from ..traces import Traces, aten_name
from .calls import torch_call
from .kernel import Kernel
from .names import Names, state_path, state_source
from .original import Original
from .wrapper import Wrapper

_STANDARD = ("import torch", "import torch.nn as nn", "from torch import nn", "import triton", "import triton.language as tl")


@dataclass(frozen=True)
class Part:
    """A region as written."""

    region: Region
    kernels: tuple[Kernel, ...]
    wrapper: Wrapper


@dataclass
class ModuleWriter:
    """Assembles the file; `inputs` maps placeholder names to the arguments of forward."""

    original: Original
    traces: Traces
    partition: Partition
    parts: Mapping[int, Part]
    inputs: Mapping[str, str]
    attributes: Mapping[str, Extent]
    header: str

    def write(self) -> str:
        imports, kept = self.original.kept()
        parts = list(self.parts.values())
        helpers = helper_sources({h for p in parts for k in p.kernels for h in k.helpers})
        kernels = [k.source() for p in parts for k in p.kernels]
        wrappers = [p.wrapper.source for p in parts]
        forward = self._forward()
        model = self.original.class_source(forward)
        uses_functional = "F." in forward
        blocks = [self._imports(imports, uses_functional), *kept, *helpers, *kernels, *wrappers, model]
        return f'"""{self.header}"""\n\n' + "\n\n\n".join(blocks) + "\n"

    def _imports(self, imports: list[str], functional: bool) -> str:
        standard = ["import torch", "import triton", "import triton.language as tl"]
        if functional:
            standard.insert(1, "import torch.nn.functional as F")
        nn = [i for i in imports if i in ("import torch.nn as nn", "from torch import nn")] or ["from torch import nn"]
        skipped = {*_STANDARD, "import torch.nn.functional as F"}
        return "\n".join([*(i for i in imports if i not in skipped), *standard, nn[0]])

    def _forward(self) -> str:
        signature = self.original.forward()
        assert signature is not None
        names = Names(self.traces.primary.program, dict(self.inputs))
        for part in self.parts.values():
            names.unique(part.wrapper.name)
        held: dict[fx.Node, str] = {}
        for node in self.traces.graph.nodes:
            if node.op == "placeholder":
                path = state_path(self.traces.primary.program, node)
                held[node] = state_source(path) if path else names.unique(self.inputs.get(node.name, node.name))
        known = self._known(held)
        lines = [line for i, step in enumerate(self.partition.steps) for line in self._step(i, step, held, names, known)]
        result = self._result(held)
        if lines and lines[-1].startswith(f"{result} = "):
            lines[-1] = f"return {lines[-1].removeprefix(f'{result} = ')}"
        else:
            lines.append(f"return {result}")
        return f"def forward({ast.unparse(signature.args)}):\n" + "\n".join("    " + line for line in lines)

    def _known(self, held: Mapping[fx.Node, str]) -> dict[str, Extent]:
        known: dict[str, Extent] = {}
        for node, name in held.items():
            if "val" in node.meta and hasattr(node.meta["val"], "shape"):
                known |= {f"{name}.shape[{d}]": size for d, size in enumerate(self.traces.shape(node))}
        return known | {f"self.{path}": size for path, size in self.attributes.items()}

    def _step(
        self, index: int, step: Region | TorchCall, held: dict[fx.Node, str], names: Names, known: Mapping[str, Extent]
    ) -> list[str]:
        if isinstance(step, TorchCall):
            text = torch_call(self.traces, step.node, held.__getitem__, known)
            if aten_name(step.node).split(".")[0].endswith("_"):
                held[step.node] = held[step.node.args[0]]  # type: ignore[index]
                return [text]
            held[step.node] = names.name(step.node)
            return [f"{held[step.node]} = {text}"]
        wrapper = self.parts[index].wrapper
        arguments = [held[node] for node in wrapper.arguments]
        arguments += [f"self.{path}" for path in wrapper.numbers]
        call = f"{wrapper.name}({', '.join(arguments)})"
        if not wrapper.results:
            return [call]
        for node in wrapper.results:
            held[node] = names.name(node)
        return [f"{', '.join(held[n] for n in wrapper.results)} = {call}"]

    def _result(self, held: Mapping[fx.Node, str]) -> str:
        program = self.traces.primary.program
        output = next(n for n in self.traces.graph.nodes if n.op == "output")
        mutated = len(program.graph_signature.output_specs) - len(program.graph_signature.user_outputs)
        flat = list(output.args[0])[mutated:]  # type: ignore[arg-type]
        spec = program.call_spec.out_spec
        if spec is None:
            raise CannotFuse("the result of forward has no structure that can be written")
        tree = pytree.tree_unflatten([_Source(held[n] if isinstance(n, fx.Node) else repr(n)) for n in flat], spec)
        return _tree_source(tree)


@dataclass(frozen=True)
class _Source:
    text: str


def _tree_source(tree: object) -> str:
    if isinstance(tree, _Source):
        return tree.text
    if isinstance(tree, tuple):
        return ", ".join(_tree_source(t) for t in tree) if len(tree) > 1 else f"({_tree_source(tree[0])},)"
    if isinstance(tree, list):
        return f"[{', '.join(_tree_source(t) for t in tree)}]"
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{k!r}: {_tree_source(v)}" for k, v in tree.items()) + "}"
    raise CannotFuse(f"forward returns a {type(tree).__name__}, which this writer does not write")
