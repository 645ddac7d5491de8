"""An operator ready to be scheduled: its traces, its regions with their loops, and the source they become."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx, nn
from torch.export.graph_signature import InputKind, TensorArgument
from torch.utils import _pytree as pytree

from ....profiling.build import build
from ....profiling.footprint import fakes
from ....profiling.op import Op
from ....profiling.trace import TracedOp
from .emit.calls import allowed_name
from .emit.module import ModuleWriter, Part
from .emit.names import RESERVED, Names, identifier
from .emit.original import Original
from .emit.wrapper import WrapperWriter
from .extent import Extent
from .loops import Loops, find_loops
from .lowering.region import Region
from .math import HELPERS
from .partition import FREE, Partition, TorchCall, partition
from .rewrite import op_name
from .schedule import Schedule, start_schedule
from .skeletons.choose import write_kernels
from .skeletons.job import Job
from .space import CannotFuseError
from .traces import Traces, aten_name
from .views import PLUMBING, is_view

_BY_MODE = frozenset({"batch_norm", "instance_norm", "dropout", "feature_dropout", "alpha_dropout", "rrelu",
                      "feature_alpha_dropout"})  # fmt: skip
"""Operators that do one thing in training and another in evaluation."""


@dataclass(frozen=True)
class Program:
    """Regions are numbered by their place among the steps of the new forward."""

    op: Op
    traces: Traces
    partition: Partition
    loops: Mapping[int, Loops]
    attributes: Mapping[str, Extent]
    built_in: Mapping[str, Any]
    mode: str

    @property
    def torch_calls(self) -> tuple[TorchCall, ...]:
        return tuple(s for s in self.partition.steps if isinstance(s, TorchCall))

    @property
    def left_to_torch(self) -> tuple[TorchCall, ...]:
        """Torch calls that do work; views do none."""
        return tuple(c for c in self.torch_calls if c.reason != FREE)

    @property
    def allowed_calls(self) -> tuple[str, ...]:
        return tuple(sorted({name for c in self.torch_calls if (name := allowed_name(c.node))}))


def read_program(traced: Sequence[TracedOp]) -> Program:
    """Lower and partition an operator traced at full size and at smaller shapes.

    A region whose sizes cannot be derived from shapes is cut again without the operators that need them.
    """
    traces = Traces(traced)
    models = [_model(t) for t in traces.traced]
    attributes, mode = _attributes(models), _mode(traces, models[0])
    built_in = _built_in(models, traces)
    refused: dict[str, str] = {}
    while True:
        parts = partition(traces, refused)
        loops = {i: find_loops(s) for i, s in enumerate(parts.steps) if isinstance(s, Region)}
        program = Program(traced[0].op, traces, parts, loops, attributes, built_in, mode)
        found = _underivable(program)
        if not found:
            return program
        refused |= found


def _underivable(program: Program) -> dict[str, str]:
    """Operators of regions that cannot be written because a size follows from nothing at hand."""
    found: dict[str, str] = {}
    for index, loops in program.loops.items():
        try:
            _write_part(program, "region", loops, start_schedule(loops))
        except CannotFuseError as refusal:
            step = program.partition.steps[index]
            if isinstance(step, Region):
                found |= {node.name: str(refusal) for node in step.nodes if not is_view(node)}
    return found


def write_program(program: Program, schedules: Mapping[int, Schedule], header: str) -> str:
    """The source of the candidate file under the given schedules.

    Raises `CannotFuseError` where it cannot be written.
    """
    original = Original(program.op.source)
    clash = original.kept_names & {*HELPERS, "tl", "triton", "torch"}
    if clash:
        raise CannotFuseError(
            f"the op file's own {', '.join(sorted(clash))} has the name of something these kernels use"
        )
    parts: dict[int, Part] = {}
    for count, (index, loops) in enumerate(program.loops.items()):
        parts[index] = _write_part(program, _region_name(program, original, count), loops, schedules[index])
    inputs = forward_names(program)
    writer = ModuleWriter(
        original,
        program.traces,
        program.partition,
        parts,
        inputs,
        program.attributes,
        header,
        program.mode,
        program.built_in,
    )
    return writer.write()


def _region_name(program: Program, original: Original, count: int) -> str:
    """Named after the op file; never like an argument of forward or anything else in the new file."""
    base = identifier(program.op.name)
    base = base if len(program.loops) == 1 else f"{base}_{count + 1}"
    taken = {*HELPERS, *RESERVED, *original.kept_names, *original.arguments}
    return f"fused_{base}" if base in taken else base


def _write_part(program: Program, name: str, loops: Loops, schedule: Schedule) -> Part:
    region = loops.region
    names = Names(program.traces.program, forward_names(program))
    tensors = {buffer: names.name(node) for buffer, node in region.buffers}
    fresh = [s for s in region.stores if s.into is None]
    for store in region.stores:
        if store.into is not None:
            tensors[f"store:{store.name}"] = tensors.get(store.into) or names.name(store.node)
        elif len(fresh) == 1:
            tensors[f"store:{store.name}"] = "out"
        else:
            tensors[f"store:{store.name}"] = names.unique(f"out_{fresh.index(store)}")
    job = Job(name, describe(region), loops, schedule, tensors, _hints(loops, schedule))
    kernels, spaces = write_kernels(job)
    for kernel in kernels:
        kernel.tidy()
        kernel.outputs_last([tensors[f"store:{s.name}"] for s in region.stores] + [n for n, _ in spaces])
    wrapper = WrapperWriter(
        name, program.traces, loops, schedule, tensors, program.attributes, kernels, spaces
    ).write()
    return Part(tuple(kernels), wrapper)


def _hints(loops: Loops, schedule: Schedule) -> dict[str, str]:
    """Streamed tensors leave the cache first; what every row reads stays."""
    if not schedule.cache_hints:
        return {}
    whole = loops.rows.full * loops.columns.full
    hints: dict[str, str] = {}
    for name, node in loops.region.buffers:
        size = node.meta["val"].numel()
        hints[name] = "evict_last" if size < whole else "evict_first" if schedule.one_tile else ""
    for store in loops.region.stores:
        hints[f"store:{store.name}"] = "evict_first" if store.node.meta["val"].numel() >= whole else ""
    return {name: policy for name, policy in hints.items() if policy}


def describe(region: Region) -> str:
    """The operators that a region fuses, in their order."""
    ops = [op_name(n) for n in region.nodes if aten_name(n) and not is_view(n)]
    shown = [o.strip("_") for o in dict.fromkeys(ops) if o not in PLUMBING]
    return ", ".join(shown) or "copy"


def forward_names(program: Program) -> dict[str, str]:
    """Placeholder name of every tensor input -> the argument of forward that it is."""
    specs = program.traces.program.graph_signature.input_specs
    user = [spec.arg for spec in specs if spec.kind is InputKind.USER_INPUT]
    arguments = Original(program.op.source).arguments
    in_spec = program.traces.program.call_spec.in_spec
    given = pytree.tree_unflatten(list(range(len(user))), in_spec)[0] if in_spec is not None else ()
    if len(arguments) < len(user) or not all(isinstance(g, int) for g in given):
        raise CannotFuseError("forward takes its inputs in a list or as *args, whose parts have no names")
    return {
        arg.name: name for arg, name in zip(user, arguments, strict=False) if isinstance(arg, TensorArgument)
    }


def _model(traced: TracedOp) -> nn.Module:
    with fakes():
        model, _ = build(traced.op.module(), traced.op.path, seed=0)
    if traced.mode != "as-is":
        model.train(traced.mode == "train")
    return model


def _attributes(models: Sequence[nn.Module]) -> dict[str, Extent]:
    """Integers that the model and its parts carry (`norm.num_groups`), at every traced shape."""
    found = [_integers(m) for m in models]
    shared = [path for path in found[0] if all(path in f for f in found)]
    return {path: Extent(tuple(f[path] for f in found)) for path in shared}


def _built_in(models: Sequence[nn.Module], traces: Traces) -> dict[str, Any]:
    """Settings of the model that no shape set changes, `norm.eps` say: kernels hold them as constants.

    An integer as large as a dimension is a size, and sizes are read from the tensors.
    """
    found = [_settings(m) for m in models]
    fixed = {path: v for path, v in found[0].items() if all(path in f and f[path] == v for f in found)}
    sizes = {
        e.full for n in traces.graph.nodes if _is_tensor(n) for e in traces.shape(n) if e.full > MOST_SETTING
    }
    return {path: v for path, v in fixed.items() if type(v) is not int or v not in sizes}


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def _settings(model: nn.Module) -> dict[str, Any]:
    return {
        f"{prefix}.{name}".lstrip("."): value
        for prefix, module in model.named_modules()
        for name, value in vars(module).items()
        if _is_setting(value) and name not in _FREE_SETTINGS and not name.startswith("_")
    }


def _is_setting(value: Any) -> bool:
    return isinstance(value, int | str) or (isinstance(value, float) and math.isfinite(value))


_FREE_SETTINGS = frozenset({"training", "inplace"})
MOST_SETTING = 8
"""A dimension no longer than this may equal a setting, such as `dim=1`, by chance."""


def _integers(model: nn.Module) -> dict[str, int]:
    return {
        f"{prefix}.{name}".lstrip("."): value
        for prefix, module in model.named_modules()
        for name, value in vars(module).items()
        if _is_size(value) and not name.startswith("_")
    }


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _mode(traces: Traces, model: nn.Module) -> str:
    """The mode that decided what the graph holds; "" where no operator asks for it."""
    flags = {flag for node in traces.graph.nodes if (flag := _flag(node)) is not None}
    if model.training not in flags:
        return ""
    return "training" if model.training else "evaluation"


def _flag(node: fx.Node) -> bool | None:
    """The mode that an operator was called in, where it matters to it."""
    if op_name(node) not in _BY_MODE or (op_name(node).endswith("norm") and node.args[3] is None):
        return None
    return next((a for a in node.args if isinstance(a, bool)), None)
