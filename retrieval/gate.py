"""Holds the architecture as a hard boundary: what a device cannot run is not advised."""

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import KbgenError
from ..hardware_specs.names import REPRESENTATIVE, UnknownDevice
from ..kb.page import Page
from ..kb.search import OF_ONE_TARGET

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec

UNKNOWN = "unknown"
"""The family of a kernel whose name does not tell what it does."""

# Nearest first. A target is a parent only when all its instructions run on the child. PTX without the suffix
# a or f is forward compatible (PTX ISA, directive .target), but wgmma is sm_90a alone and tcgen05 the sm_100
# family alone, so sm_90 is no parent of sm_100, and sm_100 none of sm_120.
# On AMD each CDNA keeps the earlier one's instructions (LLVM AMDGPUUsage); RDNA is a family of its own.
_PARENTS: dict[str, tuple[str, ...]] = {
    "sm_75": ("sm_70",),
    "sm_80": ("sm_75", "sm_70"),
    "sm_86": ("sm_80", "sm_75", "sm_70"),
    "sm_89": ("sm_86", "sm_80", "sm_75", "sm_70"),
    "sm_90": ("sm_80", "sm_75", "sm_70"),
    "sm_100": ("sm_80", "sm_75", "sm_70"),
    "sm_103": ("sm_100", "sm_80", "sm_75", "sm_70"),
    "sm_120": ("sm_89", "sm_86", "sm_80", "sm_75", "sm_70"),
    "gfx942": ("gfx90a",),
    "gfx950": ("gfx942", "gfx90a"),
}


@dataclass(frozen=True)
class Fit:
    """How a page fits a device: the older target it was written for, or why it may not be used."""

    parent: str = ""
    refusal: str = ""

    @property
    def allowed(self) -> bool:
        return not self.refusal


class UnknownTarget(KbgenError):  # noqa: N818 - named for what was found
    """A name that is neither a compiler target nor a device with a sheet."""


@dataclass(frozen=True)
class Boundary:
    """What a search for one device may give: its vendor's pages for `archs`, the target and its parents."""

    vendor: str
    archs: tuple[str, ...]
    features: frozenset[str]


def boundary(name: str) -> Boundary:
    """The boundary of a target (`sm_90`) or device (`h100`); a target stands for its usual device."""
    from ..hardware_specs.spec import find_spec

    try:
        spec = find_spec(name)
    except UnknownDevice as error:
        close = difflib.get_close_matches(name.lower(), REPRESENTATIVE, n=3, cutoff=0.4)
        if not close:
            raise UnknownTarget(f"{error}.".replace("..", ".")) from None
        raise UnknownTarget(
            f'no compiler target or device is called "{name}"; nearest: {", ".join(close)}; '
            "see `kbgen specs` for all of them."
        ) from None
    return Boundary(spec.vendor, (spec.arch, *lineage(spec.arch)), spec.features)


def lineage(arch: str) -> tuple[str, ...]:
    """Older targets whose pages hold on `arch` as well, nearest first."""
    return _PARENTS.get(arch, ())


def fit(page: Page, spec: "DeviceSpec") -> Fit:
    """Whether `page` may be advised on `spec`: vendor, then required features, then targets."""
    if page.vendor not in ("any", spec.vendor):
        return Fit(refusal=f"holds on {page.vendor} only; {spec.name} is {spec.vendor}")
    missing = [feature for feature in page.requires if feature not in spec.features]
    if missing:
        return Fit(refusal=f"requires {', '.join(missing)}; {spec.name} ({spec.arch}) has none")
    if not page.archs or spec.arch in page.archs:
        return Fit()
    # Limits change and some instructions went again (xf32 on gfx950).
    parents = () if page.kind in OF_ONE_TARGET else lineage(spec.arch)
    parent = next((older for older in parents if older in page.archs), "")
    if parent:
        return Fit(parent=parent)
    return Fit(refusal=f"holds on {', '.join(page.archs)}; {spec.name} is {spec.arch}")


def suits(page: Page, family: str) -> bool:
    """Whether `page` is meant for operators of `family`; a mixed operator holds parts of several, and what a
    kernel of unknown family does is left to its reader."""
    return not page.families or family in ("mixed", UNKNOWN) or not {"any", family}.isdisjoint(page.families)
