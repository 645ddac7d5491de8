"""An operator ready to be scheduled: its traces, its regions with their loops, and the source they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind, TensorArgument
from torch.utils import _pytree as pytree

from ....hardware_specs.spec import DeviceSpec
from ....profiling.op import Op
from ....profiling.trace import TracedOp
from ...verify.text.candidate import with_constants
from .emit.calls import allowed_name
from .emit.module import ModuleWriter, Part
from .emit.names import RESERVED, Names, identifier
from .emit.original import Original
from .emit.plain_math import with_plain_math
from .emit.wrapper import Wrapper, WrapperWriter
from .extent import Extent
from .loops import Loops, find_loops
from .lowering.region import Region, Store
from .lowering.scaled_products import without_e4m3
from .math import HELPERS
from .partition import Apart, Partition, partition
from .recurrence import refuse_recurrence
from .rewrite import op_name
from .schedule import Schedule, start_schedule
from .settings import built_in_settings, integers, mode_of, model_of
from .skeletons.choose import write_kernels
from .skeletons.job import Job
from .space import CannotFuseError
from .steps import FREE, TorchCall
from .traces import Traces, aten_name
from .views import PLUMBING, is_view

MANY_REGIONS = 8
"""From so many on it is asked which regions are alike."""


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

    @cached_property
    def original(self) -> Original:
        """The op file as it stands with the constants that were set."""
        return Original(with_plain_math(with_constants(self.op.source, self.op.overrides)))

    @cached_property
    def forward_names(self) -> Mapping[str, str]:
        """Placeholder name of every tensor input -> the argument of forward that it is."""
        return _forward_names(self)

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


def read_program(
    traced: Sequence[TracedOp], apart: Apart = frozenset(), spec: DeviceSpec | None = None
) -> Program:
    """Lower and partition an operator traced at full size and at smaller shapes.

    A region whose sizes cannot be derived from shapes is cut again without the operators that need them.
    Nodes of a pair in `apart` share no region; what has no types on the device of `spec` is left to torch.
    """
    traces = Traces(traced)
    refuse_recurrence(traces.graph)
    models = [model_of(t) for t in traces.traced]
    attributes, mode = integers(models), mode_of(traces, models[0])
    built_in = built_in_settings(models, traces)
    refused = without_e4m3(traces, spec) if spec is not None else {}
    while True:
        parts = partition(traces, refused, apart)
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
    return write_module(program, write_parts(program, schedules), header)


def write_parts(program: Program, schedules: Mapping[int, Schedule]) -> Mapping[int, Part]:
    """Each region with its function and kernels; regions that compute alike name one function, and the first
    of them holds it. Raises `CannotFuseError`."""
    original = program.original
    clash = original.kept_names & {*HELPERS, "tl", "triton", "torch"}
    if clash:
        raise CannotFuseError(
            f"the op file's own {', '.join(sorted(clash))} has the name of something these kernels use"
        )
    parts = _shared(program, schedules) if len(program.loops) >= MANY_REGIONS else {}
    count = len({part.wrapper.name for part in parts.values()})
    for index, loops in program.loops.items():
        if index not in parts:
            count += 1
            parts[index] = _write_part(program, _region_name(program, count), loops, schedules[index])
    return {index: parts[index] for index in program.loops}


def write_module(program: Program, parts: Mapping[int, Part], header: str) -> str:
    """The source of the candidate file; raises `CannotFuseError`."""
    writer = ModuleWriter(
        program.original,
        program.traces,
        program.partition,
        parts,
        program.forward_names,
        program.attributes,
        header,
        program.mode,
        program.built_in,
        _given_numbers(program),
    )
    return writer.write()


def _shared(program: Program, schedules: Mapping[int, Schedule]) -> dict[int, Part]:
    """One function and its kernels for regions that compute alike at the same sizes, as blocks of a network
    do: the first of them holds the source, the others call it."""
    written: dict[str, list[tuple[int, Wrapper]]] = {}
    for index, loops in program.loops.items():
        part = _write_part(program, "region", loops, schedules[index], plain=True)
        text = "\n".join([*(kernel.source() for kernel in part.kernels), part.wrapper.source])
        written.setdefault(text, []).append((index, part.wrapper))
    found: dict[int, Part] = {}
    for count, alike in enumerate((calls for calls in written.values() if len(calls) > 1), 1):
        (first, _), *others = alike
        name = _region_name(program, count)
        found[first] = _write_part(program, name, program.loops[first], schedules[first], plain=True)
        found |= {index: Part((), replace(call, name=name, source="")) for index, call in others}
    return found


def _region_name(program: Program, count: int) -> str:
    """Named after the op file; never like an argument of forward or anything else in the new file."""
    original, base = program.original, identifier(program.op.name)
    base = base if len(program.loops) == 1 else f"{base}_{count}"
    taken = {*HELPERS, *RESERVED, *original.kept_names, *original.arguments}
    return f"fused_{base}" if base in taken else base


def _write_part(
    program: Program, name: str, loops: Loops, schedule: Schedule, *, plain: bool = False
) -> Part:
    """The kernels of a region; under `plain` names they read alike where regions compute alike."""
    region = loops.region
    names = Names(program.traces.program, program.forward_names, plain=plain)
    tensors = {buffer: names.name(node) for buffer, node in region.buffers}
    for store in region.stores:
        if store.into is not None:
            tensors[f"store:{store.name}"] = tensors.get(store.into) or names.name(store.node)
    results = _results(program, region)
    for store, word in results.items():
        tensors[f"store:{store.name}"] = word if word == "out" else names.unique(word)
    hints, words = _hints(loops, schedule), program.traces.vocabulary
    job = Job(name, describe(region), loops, schedule, tensors, hints, words)
    kernels, spaces = write_kernels(job)
    for kernel in kernels:
        kernel.tidy()
        last = [*results, *(s for s in region.stores if s.into is not None)]
        kernel.outputs_last([tensors[f"store:{s.name}"] for s in last] + [n for n, _ in spaces])
    wrapper = WrapperWriter(
        name, program.traces, loops, schedule, tensors, program.attributes, kernels, spaces, tuple(results)
    ).write()
    return Part(tuple(kernels), wrapper)


def _results(program: Program, region: Region) -> dict[Store, str]:
    """New tensors of a region with their names, in the order in which forward returns them.

    A name is the op file's where it has one, `x_out` for one that takes the place of an input.
    """
    returned, words = program.traces.returned, program.original.returned
    said = dict(zip(returned, words, strict=True)) if len(words) == len(returned) else {}
    place = {node: i for i, node in reversed(list(enumerate(returned)))}
    fresh = sorted((s for s in region.stores if s.into is None), key=lambda s: place.get(s.node, len(place)))
    if len(fresh) == 1:
        return {fresh[0]: "out"}
    arguments = set(program.forward_names.values())
    named = {s: said.get(s.node) or program.traces.authors_name(s.node) for s in fresh}
    numbered = list(named.values()).count("") > 1
    return {
        s: f"{word}_out" if word in arguments else word or (f"out_{i}" if numbered else "out")
        for i, (s, word) in enumerate(named.items())
    }


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


def _given_numbers(program: Program) -> dict[str, Any]:
    """Arguments of forward that are no tensors, and what the op file gives for them, by default too: kernels
    hold it. What follows the shapes is read from them."""
    found = [
        dict(zip(program.original.arguments, _user_inputs(traced.program), strict=False))
        for traced in program.traces.traced
    ]
    constants = [{k: v.value for k, v in one.items() if isinstance(v, ConstantArgument)} for one in found]
    left = {k: v for k, v in program.original.defaults.items() if k not in found[0]}
    fixed = {name: v for name, v in constants[0].items() if all(one.get(name) == v for one in constants)}
    return fixed | left


def _user_inputs(program: ExportedProgram) -> list[Any]:
    specs = program.graph_signature.input_specs
    return [spec.arg for spec in specs if spec.kind is InputKind.USER_INPUT]


def _forward_names(program: Program) -> dict[str, str]:
    user = _user_inputs(program.traces.program)
    arguments = program.original.arguments
    in_spec = program.traces.program.call_spec.in_spec
    given = pytree.tree_unflatten(list(range(len(user))), in_spec)[0] if in_spec is not None else ()
    if len(arguments) < len(user) or not all(isinstance(g, int) for g in given):
        raise CannotFuseError("forward takes its inputs in a list or as *args, whose parts have no names")
    return {
        arg.name: name for arg, name in zip(user, arguments, strict=False) if isinstance(arg, TensorArgument)
    }
