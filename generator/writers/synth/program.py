"""An operator ready to be scheduled: its traces, its regions with their loops, and the source they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import fx
from torch.export.graph_signature import InputKind, TensorArgument

from ....profiling.build import build
from ....profiling.footprint import fakes
from ....profiling.op import Op
from ....profiling.trace import TracedOp
from .emit.module import ModuleWriter, Part
from .emit.names import Names, identifier
from .emit.original import Original
from .emit.wrapper import WrapperWriter
from .extent import Extent
from .lowering.region import Region
from .loops import Loops, find_loops
from .math import HELPERS
from .partition import Partition, TorchCall, is_view, partition
from .schedule import Schedule
from .skeletons.choose import write_kernels
from .traces import Traces, aten_name


@dataclass(frozen=True)
class Program:
    """Regions are numbered by their place among the steps of the new forward."""

    op: Op
    traces: Traces
    partition: Partition
    loops: Mapping[int, Loops]
    attributes: Mapping[str, Extent]

    @property
    def left_to_torch(self) -> tuple[TorchCall, ...]:
        return tuple(s for s in self.partition.steps if isinstance(s, TorchCall))


def read_program(traced: Sequence[TracedOp]) -> Program:
    """Lower and partition an operator traced at full size and at smaller shapes."""
    traces = Traces(traced)
    parts = partition(traces)
    loops = {i: find_loops(s) for i, s in enumerate(parts.steps) if isinstance(s, Region)}
    return Program(traced[0].op, traces, parts, loops, _attributes(traced[: traces.count]))


def write_program(program: Program, schedules: Mapping[int, Schedule], header: str) -> str:
    """The source of the candidate file under the given schedules; `CannotFuse` if a size cannot be derived."""
    base = identifier(program.op.name)
    inputs = _forward_names(program)
    parts: dict[int, Part] = {}
    for count, (index, loops) in enumerate(program.loops.items()):
        name = base if len(program.loops) == 1 else f"{base}_{count + 1}"
        name = f"fused_{name}" if name in HELPERS else name
        parts[index] = _write_part(program, name, loops, schedules[index], inputs)
    writer = ModuleWriter(
        Original(program.op.source), program.traces, program.partition, parts, inputs, program.attributes, header
    )
    return writer.write()


def _write_part(program: Program, name: str, loops: Loops, schedule: Schedule, inputs: Mapping[str, str]) -> Part:
    region = loops.region
    names = Names(program.traces.primary.program, dict(inputs))
    tensors = {buffer: names.name(node) for buffer, node in region.buffers}
    fresh = [s for s in region.stores if s.into is None]
    for store in region.stores:
        if store.into is not None:
            tensors[f"store:{store.name}"] = tensors.get(store.into) or names.name(store.node)
        elif len(fresh) == 1:
            tensors[f"store:{store.name}"] = "out"
        else:
            tensors[f"store:{store.name}"] = names.unique(f"out_{fresh.index(store)}")
    doc = describe(program.traces, region)
    kernels, spaces = write_kernels(f"{name}_kernel", doc, loops, schedule, tensors, _hints(loops, schedule))
    for kernel in kernels:
        kernel.tidy()
        kernel.outputs_last([tensors[f"store:{s.name}"] for s in region.stores] + [n for n, _ in spaces])
    wrapper = WrapperWriter(
        name, doc, program.traces, loops, schedule, tensors, program.attributes, kernels, spaces
    ).write()
    return Part(region, tuple(kernels), wrapper)


def _hints(loops: Loops, schedule: Schedule) -> dict[str, str]:
    """Streamed tensors leave the cache first; what every row reads stays."""
    if not schedule.cache_hints:
        return {}
    whole = loops.rows.full * loops.columns.full
    hints: dict[str, str] = {}
    for name, node in loops.region.buffers:
        size = node.meta["val"].numel()
        hints[name] = "evict_first" if size >= whole and schedule.one_tile else "evict_last" if size < whole else ""
    for store in loops.region.stores:
        size = node_elements(store.node)
        hints[f"store:{store.name}"] = "evict_first" if size >= whole else ""
    return {name: policy for name, policy in hints.items() if policy}


def node_elements(node: fx.Node) -> int:
    return int(node.meta["val"].numel())


def describe(traces: Traces, region: Region) -> str:
    """What a region computes: the operators it fuses, and the shapes it was planned for."""
    ops = [aten_name(n).split(".")[0] for n in region.nodes if aten_name(n) and not is_view(n)]
    shown = [o for o in dict.fromkeys(ops) if o not in _PLUMBING]
    tensors = [n for _, n in region.buffers] + [s.node for s in region.stores if s.into is None]
    shapes = [str(tuple(e.full for e in traces.shape(n))) for n in tensors]
    count = len(region.buffers)
    return f"{', '.join(shown) or 'copy'}: {', '.join(shapes[:count])} -> {', '.join(shapes[count:])}."


_PLUMBING = frozenset({"to", "_to_copy", "contiguous", "clone", "type_as", "getitem"})


def _forward_names(program: Program) -> dict[str, str]:
    """Placeholder name of every tensor input -> the argument of forward that it is."""
    specs = program.traces.primary.program.graph_signature.input_specs
    user = [spec.arg for spec in specs if spec.kind is InputKind.USER_INPUT]
    forward = Original(program.op.source).forward()
    arguments = [a.arg for a in forward.args.args[1:]] if forward else []
    arguments += [arg.name for arg in user[len(arguments) :]]
    return {arg.name: name for arg, name in zip(user, arguments, strict=False) if isinstance(arg, TensorArgument)}


def _attributes(traced: Sequence[TracedOp]) -> dict[str, Extent]:
    """Integers that the model and its parts carry (`norm.num_groups`), at every traced shape."""
    found = [_integers(t) for t in traced]
    shared = [path for path in found[0] if all(path in f for f in found)]
    return {path: Extent(tuple(f[path] for f in found)) for path in shared}


def _integers(traced: TracedOp) -> dict[str, int]:
    with fakes():
        model, _ = build(traced.op.module(), traced.op.path, seed=0)
    return {
        f"{prefix}.{name}".lstrip("."): value
        for prefix, module in model.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, int) and not isinstance(value, bool) and not name.startswith("_") and value > 0
    }
