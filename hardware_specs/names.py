"""Which device a name means: ids, everyday names, the names that drivers print, and compiler targets.

    "h100", "H100 SXM5", "NVIDIA H100 80GB HBM3", "sm_90"  ->  "nvidia-h100-sxm5"

Case, spaces, dashes and vendor words do not matter; anything else must match whole, so an "RTX 4090 Laptop
GPU" is not taken for an RTX 4090. A compiler target means the one device of it that `REPRESENTATIVE` names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from .. import KbgenError

REPRESENTATIVE = {
    "sm_70": "nvidia-v100-sxm2",
    "sm_75": "nvidia-t4",
    "sm_80": "nvidia-a100-sxm4-80gb",
    "sm_86": "nvidia-rtx-3090",
    "sm_89": "nvidia-rtx-4090",
    "sm_90": "nvidia-h100-sxm5",
    "sm_100": "nvidia-b200",
    "sm_103": "nvidia-b300",
    "sm_120": "nvidia-rtx-5090",
    "gfx90a": "amd-mi250x",
    "gfx942": "amd-mi300x",
    "gfx950": "amd-mi355x",
    "gfx1100": "amd-rx7900xtx",
}

_VENDOR_WORDS = re.compile(r"\b(nvidia|amd|geforce|tesla|instinct|radeon)\b")


class UnknownDevice(KbgenError):  # noqa: N818 - named for what was found
    """A name that means no device with a sheet."""


def plain(name: str) -> str:
    """The letters and digits that count: "NVIDIA GeForce RTX 4090" and "rtx-4090" are both "rtx4090"."""
    words = _VENDOR_WORDS.sub(" ", name.lower().replace("-", " ").replace("_", " "))
    return re.sub(r"[^a-z0-9]", "", words)


def resolve(name: str, names: Mapping[str, str]) -> str:
    """The device id that `name` means among `names` (plain name -> id); else UnknownDevice."""
    if (target := _target(name)) in REPRESENTATIVE:
        return REPRESENTATIVE[target]
    if (found := names.get(plain(name))) is not None:
        return found
    raise UnknownDevice(
        f'no device is called "{name}"{_nearest(name, names)}; see `kbgen specs` for all of them'
    )


def _target(name: str) -> str:
    """ "SM90a" -> "sm_90", "gfx942:sramecc+:xnack-" -> "gfx942"; other names come back as they are."""
    target = name.strip().lower().split(":")[0]
    if match := re.fullmatch(r"sm[_ -]?(\d+)[af]?", target):
        return f"sm_{match[1]}"
    return target


def _nearest(name: str, names: Mapping[str, str]) -> str:
    known = {**names, **{plain(target): target for target in REPRESENTATIVE}}
    close = difflib.get_close_matches(plain(name), known, n=6, cutoff=0.5)
    ids = list(dict.fromkeys(known[key] for key in close))[:3]
    return f"; nearest: {', '.join(ids)}" if ids else ""
