"""Names what the figures of a profile point at that a person wrote down in words.

pointed_at("SM 22 %, DRAM 31 %, pipe_tensor 0 %, pipe_fma 71 %, fp16 gemm")[0].cls   # tensor_unused

The figures become a launch as a profiler would give it, and the rules of every diagnosis judge it. What is
not mentioned is taken as unremarkable: this steers a search, and is told nobody as a diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..hardware_specs.spec import find_spec
from ..profiling.classify import diagnose
from ..profiling.counters.facts import counter_facts
from ..profiling.counters.record import Launch, Reading
from ..profiling.counters.vocabulary import vocabulary
from ..profiling.waves import wave_facts
from .figures import figures, words

if TYPE_CHECKING:
    from ..hardware_specs.spec import DeviceSpec
    from ..profiling.classify import Bottleneck

USUAL = {"nvidia": "h100", "amd": "mi300x"}
"""The device that is imagined where none is named."""

_AMD = re.compile(
    r"\b(?:gfx\w+|mi\d{3}\w*|lds|vgprs?|wavefronts?|valu\w*|mfma\w*|sq_\w+|hip|rocm)\b", re.IGNORECASE
)
_PRODUCT = re.compile(
    r"\b(?:\w*gemm|mat(?:rix)?[ -]?mul\w*|matrix products?|conv\w*|attention|linear)\b", re.IGNORECASE
)
_MULTIPLIES_FROM = 20.0  # per cent of the fp32 pipe, where the tensor pipe is spoken of at all
_LIMITS = ("limit_blocks", "limit_regs", "limit_smem", "limit_warps")
_UNLIMITED = 32.0  # blocks a unit
_UNITS = 100.0  # of a device that waves are told of
_IDEAL_SECTORS = 4.0  # a request of 32 lanes of 4 bytes
_SOME = 6.0  # per cent of the tensor pipe, neither idle nor busy: of a product that says nothing of it
_SPILLS = 10.0  # per cent of the instructions, where their number is worth telling


def in_words(text: str, device: str | None = None) -> str:
    """The words to search with for a text that tells figures: the bottleneck that they point at, its
    remedies, and what the text says beside them; "" where they point at none."""
    found = pointed_at(text, find_spec(device) if device else None)
    if not found:
        return ""
    return f"{found[0].cls}: {', '.join(found[0].remedies)}. {figures(text)[1]}".strip(" .")


def pointed_at(text: str, spec: DeviceSpec | None = None) -> tuple[Bottleneck, ...]:
    """The bottlenecks that the figures of `text` point at, the first one first; () for a text without any."""
    told, _ = figures(text)
    if not told:
        return ()
    spec = spec or find_spec(USUAL["amd" if _AMD.search(text) else "nvidia"])
    product = _multiplies(text, told)
    unsaid = {
        **words().unsaid["any"],
        **words().unsaid[spec.vendor],
        "pipe_tensor": _SOME if product else 0.0,
    }
    known = _worked_out(told, unsaid) | {"matmul_like": float(product)}
    read = {key: Reading(value, key) for key, value in known.items() if key in vocabulary()}
    facts = counter_facts(Launch(0, "", read, arch=spec.target), spec)
    facts |= {name: value for name, value in known.items() if name not in vocabulary()}
    return diagnose([("", facts)], spec, "A").bottlenecks


def _worked_out(told: Mapping[str, float], unsaid: Mapping[str, float]) -> dict[str, float]:
    """Keys and facts: what was told, what follows from two figures, and what goes without saying."""
    found = {**unsaid, **told}
    if "sectors" in told:
        excess = max(0.0, 1 - _IDEAL_SECTORS / max(1.0, told["sectors"]))
        found |= {"excess_sectors_pct": 100 * excess, "waste_to_l2": excess * (1 - found["l1_hit"] / 100)}
    if "ways" in told:
        found["conflicts_per_wavefront"] = 1 - 1 / max(1.0, told["ways"])
    if told.get("wavefronts"):
        found["conflicts_per_wavefront"] = told["conflicts"] / told["wavefronts"]
    if told.get("whole"):
        found["dram_pct"] = 100 * told["part"] / told["whole"]
    elif "dram_bytes_s" in told and "dram_pct" not in told:
        del found["dram_pct"]  # worked out with the device's peak
    if (told.get("spill_requests") and "inst" not in told) or told.get("spill_bytes"):
        found["local_inst_pct"] = _SPILLS
    if "ld_bytes_per_sector" in told:
        del found["excess_sectors_pct"]
    if "sm_active_max" in told:
        found.setdefault("sm_elapsed", told["sm_active_max"])
    if "resident" in told and told.keys() & {"regs", "smem_block"}:
        found["limit_smem" if "smem_block" in told else "limit_regs"] = told["resident"]
    elif told.keys() >= {"grid", "units"}:
        found["limit_warps"] = told.get("resident", 1.0)
    if found.keys() & {*_LIMITS}:
        found = {**dict.fromkeys(_LIMITS, _UNLIMITED), **found}
        if "occupancy_achieved" in told:
            found.setdefault("occupancy_theoretical", told["occupancy_achieved"])
    elif told.keys() & {"regs", "smem_block"}:
        found = {"regs": 32.0, "smem_block": 0.0, "block": 256.0, **found}
    if "waves" in told:
        found |= wave_facts(round(_UNITS * told["waves"]), _UNITS, 1.0)
        del found["grid_blocks"]
    return found


def _multiplies(text: str, told: Mapping[str, float]) -> bool:
    """Whether the kernel is a product: by its name, or since its tensor pipe is spoken of beside a busy fp32
    one."""
    spoken_of = "pipe_tensor" in told and told.get("pipe_fma", 0.0) >= _MULTIPLIES_FROM
    return spoken_of or bool(_PRODUCT.search(text))
