"""Writes a given Triton kernel file anew for a device: the same code with other meta-parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...hardware_specs.spec import DeviceSpec
from ..job import GIVEN
from ..report.heading import SET_ANEW
from ..writers.writer import Candidate, Declined, Request
from .parameters import OF_AMD, OF_NVIDIA, UNSET, Parameter, read_parameters

ANY_CALL = ("*",)
"""What the file leaves to torch is its author's decision; the report lists it."""

MOST_THREADS = 1024  # a block, on every target that Triton has
LEAST_DOT = 16  # an edge of tl.dot
STEP = 4  # blocks are tried up to so many times smaller and larger
_VALUES = {
    "waves": (UNSET, 1, 2, 3, 4), "shape": (UNSET, 16, 32), "pack": (1, 2), "cluster": (1, 2),
    "registers": (UNSET, 64, 96, 128, 168),
}  # fmt: skip
_FACTORS = ((1, 2), (2, 1), (1, 4))  # of all blocks of a kernel at once


@dataclass(frozen=True)
class Setting:
    """What each parameter is set to, by its name. `fitting`: the file as it came, or as it is made to fit."""

    values: Mapping[str, int] = field(default_factory=dict)
    fitting: bool = False


class RetuneWriter:
    """The first candidate is the file as it is; a transform sets one parameter, its variants are the values
    that the device allows, nearest first. `traffic` is what the kernels move at full size, in bytes, None if
    that is not known: then the least counts."""

    name = GIVEN
    refinements: tuple[str, ...] = ()

    def __init__(self, source: str, traffic: float | None = None) -> None:
        self._source, self.traffic = source, traffic
        self.parameters = {one.name: one for one in read_parameters(source)}
        self._together = _together(self.parameters.values())
        self.transforms = (*self._together, *self.parameters)

    def write(self, request: Request) -> Candidate | Declined:
        if request.parent is None:
            return self._candidate(request, Setting(fitting=True))
        before = request.parent.plan
        if not isinstance(before, Setting):
            return Declined("the parent is another writer's")
        if request.complaint is not None:
            return self._shrunk(request, before, request.complaint)
        if request.transform in self._together:
            return self._scaled(request, before, request.transform)
        parameter = self.parameters.get(request.transform or "")
        if parameter is None:
            return Declined(f"{request.transform} is no parameter of this file")
        now = before.values.get(parameter.name, parameter.value)
        others = [v for v in allowed(parameter, request.spec) if v != now]
        others.sort(key=lambda value: abs(value - now))
        if request.sample >= len(others):
            return Declined(f"{parameter.name} has no other value on {request.spec.name}")
        setting = Setting({**before.values, parameter.name: others[request.sample]})
        return self._candidate(request, setting, parameter.name)

    def _scaled(self, request: Request, before: Setting, name: str) -> Candidate | Declined:
        """All blocks of a kernel smaller or larger at once: what one of them alone would unbalance."""
        if request.sample >= len(_FACTORS):
            return Declined(f"{name}: no other factor is tried")
        over, under = _FACTORS[request.sample]
        now = {one.name: before.values.get(one.name, one.value) for one in self._together[name]}
        then = {one: value * over // under for one, value in now.items()}
        if any(then[one.name] not in allowed(one, request.spec) for one in self._together[name]):
            return Declined(f"{name}: {over}/{under} of them leaves what is tried on {request.spec.name}")
        return self._candidate(request, Setting({**before.values, **then}), name)

    def _shrunk(self, request: Request, before: Setting, complaint: str) -> Candidate | Declined:
        """Less of what is scarce: fewer stages for shared memory, then smaller blocks; more warps for a
        kernel that spills. Only the file as it came is made to fit: a value that does not is passed over."""
        if not before.fitting:
            return Declined("another value is tried instead")
        order = ("warps", "block") if "spills" in complaint else ("stages", "block", "config")
        for kind in order:
            for parameter in self._of_kind(kind, before):
                now = before.values.get(parameter.name, parameter.value)
                values = [v for v in allowed(parameter, request.spec) if (v > now) == (kind == "warps")]
                values = [v for v in values if v != now]
                if kind == "config":
                    values = [v for v in allowed(parameter, request.spec) if v > now]
                if values:
                    nearest = min(values, key=lambda v: abs(v - now))
                    setting = Setting({**before.values, parameter.name: nearest}, fitting=True)
                    return self._candidate(request, setting, parameter.name)
        return Declined("nothing of this file is left to be set smaller")

    def _of_kind(self, kind: str, setting: Setting) -> list[Parameter]:
        """The parameters of a kind, those with the largest value first."""
        found = [one for one in self.parameters.values() if one.kind == kind]
        return sorted(found, key=lambda one: -setting.values.get(one.name, one.value))

    def _candidate(self, request: Request, setting: Setting, changed: str = "") -> Candidate:
        parent = request.parent
        technique = [changed] if changed else []
        return Candidate(
            source=self.text(setting, request.spec),
            writer=self.name,
            techniques=(*(parent.techniques if parent else ()), *technique),
            parent=parent.id if parent else None,
            choices=tuple(self._choice(name, value) for name, value in setting.values.items()),
            bytes_per_kernel=(self.traffic if self.traffic is not None else float(request.traced.bytes_min),),
            flops=float(request.traced.flops),
            allowed_calls=ANY_CALL,
            plan=setting,
        )

    def text(self, setting: Setting, spec: DeviceSpec) -> str:
        """The file with the setting in it, headed by what was changed; as it is where nothing was."""
        changed = {
            one: setting.values[one.name] for one in self.parameters.values()
            if setting.values.get(one.name, one.value) != one.value
        }  # fmt: skip
        if not changed:
            return self._source
        edits = [
            (place, _spelled(one, value, place.text))
            for one, value in changed.items()
            for place in one.places
        ]
        whole = self._source.encode()
        for place, spelled in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
            whole = whole[: place.start] + spelled.encode() + whole[place.end :]
        told = "; ".join(_told(one, value) for one, value in changed.items())
        return f"{SET_ANEW}{spec.name}: {told}.\n" + whole.decode()

    def _choice(self, name: str, value: int) -> dict[str, str]:
        parameter = self.parameters[name]
        why = f"{_shown(parameter, parameter.value)} in the file, {_shown(parameter, value)} here"
        why = why if value != parameter.value else "as in the file"
        return {"name": name, "value": _shown(parameter, value), "technique": name, "why": why}


def allowed(parameter: Parameter, spec: DeviceSpec) -> list[int]:
    """The values of a parameter that the device does not rule out, in order; what it is now is among them
    where that may stay."""
    if parameter.kind == "config":
        return list(range(len(parameter.texts)))
    if parameter.kind == "warps":
        return [n for n in (1, 2, 4, 8, 16, 32) if n * spec.warp_size <= MOST_THREADS and n <= 16]
    if parameter.kind == "stages":
        return list(range(1, 4 if spec.vendor == "amd" else 6))
    if parameter.kind == "group":
        return [1, 2, 4, 8, 16]
    if parameter.kind in (*OF_AMD, *OF_NVIDIA):
        return sorted({parameter.value, *_of_vendor(parameter, spec)})
    if parameter.value < 1 or parameter.value & (parameter.value - 1):
        return [parameter.value]  # not a power of two: a size of the problem, not of a tile
    least = LEAST_DOT if parameter.dots else 1
    values = [parameter.value * factor // STEP for factor in (1, 2, 4, 8, 16)]
    return [value for value in values if value >= least]


def _of_vendor(parameter: Parameter, spec: DeviceSpec) -> Sequence[int]:
    """Values of an option that only this vendor's backend has; none where the device has no use for it.

    `kpack` is overruled from gfx950 on, blocks share a tile (`num_ctas`) from sm_90 on; registers are bounded
    where that lets one more block of usual size be resident.
    """
    if (spec.vendor == "amd") != (parameter.kind in OF_AMD):
        return ()
    if parameter.kind == "pack" and spec.arch not in ("gfx90a", "gfx942"):
        return ()
    if parameter.kind == "cluster" and int(spec.arch.removeprefix("sm_")) < 90:
        return ()
    return _VALUES[parameter.kind]


def _together(parameters: Iterable[Parameter]) -> dict[str, list[Parameter]]:
    """The blocks of each kernel that multiplies matrices, where it has several."""
    found: dict[str, list[Parameter]] = {}
    for one in parameters:
        if one.kind == "block" and one.dots:
            found.setdefault(f"{one.name.partition(':')[0]}: all blocks", []).append(one)
    return {name: members for name, members in found.items() if len(members) > 1}


def _spelled(parameter: Parameter, value: int, text: str) -> str:
    return text.format(parameter.texts[value] if parameter.texts else value)


def _shown(parameter: Parameter, value: int) -> str:
    if parameter.texts:
        return parameter.texts[value]
    return "unset" if value == UNSET and UNSET in _VALUES.get(parameter.kind, ()) else str(value)


def _told(parameter: Parameter, value: int) -> str:
    if parameter.texts:
        return f"{parameter.name} number {value + 1} of {len(parameter.texts)} alone"
    return f"{parameter.name} {_shown(parameter, parameter.value)} -> {_shown(parameter, value)}"
