"""The built-in writer: deterministic, no key, no network. One request, one technique, one readable file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from ....hardware_specs.spec import DeviceSpec
from ....profiling.eager import node_bytes
from ....profiling.flops import node_flops
from ....profiling.product_time import ProductWork
from ..writer import Candidate, Declined, Request
from .algebra.marks import applied
from .emit.layout import WIDTH
from .emit.module import Part
from .foreseen import foreseen
from .fusion import Cut, read_fused
from .loops import Loops
from .program import Program, write_module, write_parts
from .schedule import Choice, Schedule, start_schedule
from .space import CannotFuseError
from .tilings import works_of
from .traces import aten_name
from .traffic import planned_bytes, planned_flops, tensor_bytes
from .transforms import (
    cache_hints,
    copy_engine,
    grouped_order,
    persistent_programs,
    persistent_tiles,
    pipelined_loop,
    warp_roles,
    xcd_order,
)
from .transforms.inherent import inherent
from .transforms.registry import MEND, TRANSFORMS, Transform, variant
from .transforms.site import Site


@dataclass(frozen=True)
class Plan:
    """The program, its cuts by cost, and a schedule per region: what is remembered of a candidate.

    `kernels` are the names of each region's kernels in the file.
    """

    program: Program
    schedules: Mapping[int, Schedule]
    cuts: tuple[Cut, ...] = ()
    kernels: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def named_in(self, complaint: str) -> frozenset[int]:
        """The regions whose kernels a complaint names, all of them where it names none."""
        words = set(re.findall(r"\w+", complaint))
        named = frozenset(index for index, names in self.kernels.items() if names & words)
        return named or frozenset(self.schedules)


class SynthWriter:
    """Rewrite, partition, plan and emit; see the modules of those names."""

    name = "synth"
    transforms = tuple(sorted(TRANSFORMS))
    refinements: tuple[str, ...] = (
        pipelined_loop.TRANSFORM, copy_engine.TRANSFORM, persistent_programs.TRANSFORM,
        cache_hints.TRANSFORM, grouped_order.TRANSFORM, xcd_order.TRANSFORM, persistent_tiles.TRANSFORM,
        warp_roles.TRANSFORM,
    )  # fmt: skip

    def write(self, request: Request) -> Candidate | Declined:
        """The plain kernel without a parent; the parent with one more technique, or mended, with one."""
        if request.parent is None:
            return self._start(request)
        if request.complaint is not None:
            return self._apply(request, request.parent, *MEND)
        transform = TRANSFORMS.get(request.transform or "")
        if transform is None:
            return Declined(f"{request.transform} is not a transform of this writer")
        if request.sample:
            transform = variant(request.transform or "", request.sample)
        return self._apply(request, request.parent, request.transform or "", transform)

    def _start(self, request: Request) -> Candidate | Declined:
        try:
            program, cuts = read_fused([request.traced, *request.smaller], request.spec)
        except CannotFuseError as refusal:
            return Declined(str(refusal))
        if not program.loops:
            reasons = "; ".join(
                dict.fromkeys(
                    f"{aten_name(c.node)}: {c.reason}" for c in program.left_to_torch if aten_name(c.node)
                )
            )
            return Declined(f"nothing here is for this writer ({reasons or 'the graph is empty'})")
        schedules = {i: start_schedule(loops) for i, loops in program.loops.items()}
        return self._candidate(request, Plan(program, schedules, cuts), ())

    def _apply(
        self, request: Request, parent: Candidate, name: str, transform: Transform
    ) -> Candidate | Declined:
        plan = parent.plan
        if not isinstance(plan, Plan):
            return Declined("the parent is another writer's")
        schedules = dict(plan.schedules)
        refusals: list[str] = []
        wanted = plan.named_in(request.complaint or "")
        for index in sorted(wanted):
            changed = transform(schedules[index], Site(plan.program.loops[index], request.spec))
            if isinstance(changed, str):
                refusals.append(changed)
            else:
                schedules[index] = changed
        if len(refusals) == len(wanted):
            return Declined("; ".join(dict.fromkeys(refusals)))
        return self._candidate(request, replace(plan, schedules=schedules), (*parent.techniques, name))

    def _candidate(self, request: Request, plan: Plan, techniques: tuple[str, ...]) -> Candidate | Declined:
        try:
            parts = write_parts(plan.program, plan.schedules)
            source = write_module(plan.program, parts, self._header(request, plan))
        except CannotFuseError as refusal:
            return Declined(str(refusal))
        plan = replace(plan, kernels=_kernel_names(parts))
        pairs = [(plan.program.loops[i], s) for i, s in plan.schedules.items()]
        return Candidate(
            source=source,
            writer=self.name,
            techniques=techniques,
            parent=request.parent.id if request.parent else None,
            choices=self._choices(plan),
            left_to_torch=tuple(f"{aten_name(c.node)}: {c.reason}" for c in plan.program.left_to_torch),
            allowed_calls=plan.program.allowed_calls,
            bytes_per_kernel=tuple(b for loops, s in pairs for b in planned_bytes(loops, s, request.spec)),
            flops=sum(planned_flops(loops) for loops, _ in pairs),
            products=tuple(w for loops, s in pairs for w in _products(loops, s, request.spec)),
            torch_bytes=sum(node_bytes(c.node) for c in plan.program.left_to_torch),
            tensor_bytes=sum(tensor_bytes(loops) for loops, _ in pairs),
            torch_flops=sum(node_flops(c.node) for c in plan.program.left_to_torch),
            foreseen=tuple(k for loops, s in pairs for k in foreseen(loops, s, request.spec)),
            plan=plan,
        )

    def _choices(self, plan: Plan) -> tuple[Mapping[str, str], ...]:
        traces = plan.program.traces
        algebra = [Choice("algebra", r.decision, r.why, r.technique) for r in applied(traces.graph)]
        if traces.unrewritten:
            why = f"a rewrite failed, which is a mistake of kbgen's: {traces.unrewritten}"
            algebra.append(Choice("algebra", "computed as it was written", why))
        found: list[Mapping[str, str]] = [asdict(choice) for choice in algebra]
        found += [asdict(cut.choice) for cut in plan.cuts]
        for index, schedule in plan.schedules.items():
            decided: tuple[Choice, ...] = (*inherent(plan.program.loops[index]), *schedule.choices)
            region = f"region {index + 1}: " if len(plan.schedules) > 1 else ""
            found += [{**asdict(c), "name": region + c.name} for c in decided]
        return tuple(found)

    def _header(self, request: Request, plan: Plan) -> str:
        shapes = ", ".join(f"{list(i.shape)} {i.dtype}" for i in request.traced.inputs)
        count = len(plan.schedules)
        regions = "one fused region" if count == 1 else f"{count} fused regions"
        planned = f"Planned for inputs {shapes}; sizes are read from the tensors at run time."
        title = f"{request.op.name} for {request.spec.name}: {regions}, written by kbgen."
        told = [f"{cut.choice.value.capitalize()}: {cut.choice.why}." for cut in plan.cuts]
        return "\n\n".join([title, *(textwrap.fill(text, WIDTH) for text in (planned, *told))]) + "\n"


def _kernel_names(parts: Mapping[int, Part]) -> dict[int, frozenset[str]]:
    """Of each region; those that share a function have its kernels."""
    of_function: dict[str, frozenset[str]] = {}
    for part in parts.values():
        names = frozenset(kernel.name for kernel in part.kernels)
        of_function[part.wrapper.name] = of_function.get(part.wrapper.name, frozenset()) | names
    return {index: of_function[part.wrapper.name] for index, part in parts.items()}


def _products(loops: Loops, schedule: Schedule, spec: DeviceSpec) -> tuple[ProductWork | None, ...]:
    """How the tiles of each kernel of a region run."""
    if loops.tiling is None:
        return (None,) * len(planned_bytes(loops, schedule, spec))
    return works_of(loops, schedule, spec)
