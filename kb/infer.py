"""Infers what a document does not say of itself: vendor, version, licence, date, and its targets."""

import re
from collections.abc import Iterator, Sequence

# Instructions that one family of targets alone has. Sources: PTX ISA, "Target ISA Notes" of each instruction;
# LLVM's AMDGPUUsage and the CDNA and RDNA instruction set guides of AMD.
_BLACKWELL_DC = ("sm_100", "sm_103")
_CDNA = ("gfx90a", "gfx942", "gfx950")
_TMA = ("sm_90", *_BLACKWELL_DC, "sm_120")
_ONLY_ON = (
    (r"\btcgen05\b|\btensor memory\b(?! acc)|\bTMEM\b|\bcta_group::", _BLACKWELL_DC),
    (r"\bwgmma\b", ("sm_90",)),
    (r"\bcp\.async\.bulk\b|\bcp\.reduce\.async\.bulk\b|\bmultimem\b|\bcuTensorMap\w*|\bsetmaxnreg\b", _TMA),
    (r"\bcp\.async\.(?:ca|cg|wait_\w+)\b", ("sm_80", "sm_86", "sm_89", *_TMA)),
    (r"\bv_mfma_\w+_f8f6f4|\bmfma_scale\w*|\bds_read_b64_tr_b\w+|\bv_cvt_scalef32\w*", ("gfx950",)),
    (r"\bv_smfmac_\w+|\bv_mfma_\w*(?:fp8|bf8|xf32)\w*", ("gfx942", "gfx950")),
    (r"\bv_mfma_\w+|\bv_accvgpr_\w+|\b__builtin_amdgcn_mfma_\w+", _CDNA),
    (r"\bv_wmma_\w+|\bs_delay_alu\b|\bv_dual_\w+", ("gfx1100",)),
)
# Names that say of whom a passage speaks; with an instruction of the above they add to whom it holds for.
_NAMED = (
    (r"\bvolta\b|\bv100\b", ("sm_70",)),
    (r"\bturing\b", ("sm_75",)),
    (r"\bampere\b|\ba100\b", ("sm_80", "sm_86")),
    (r"\bada\b|\brtx 40\d\d\b", ("sm_89",)),
    (r"\bhopper\b|\bh[12]00\b", ("sm_90",)),
    (r"\bblackwell\b(?! (?:consumer|geforce))|\bg?b[23]00\b", _BLACKWELL_DC),
    (r"\bconsumer blackwell\b|\bblackwell (?:consumer|geforce)\b|\brtx 50\d\d\b", ("sm_120",)),
    (r"\bcdna ?2\b|\bmi2\d\d\w?\b", ("gfx90a",)),
    (r"\bcdna ?3\b|\bmi3[02]\d\w?\b", ("gfx942",)),
    (r"\bcdna ?4\b|\bmi35\d\w?\b", ("gfx950",)),
    (r"\brdna ?3\b", ("gfx1100",)),
)
_TARGET = re.compile(r"\bsm_?(\d{2,3})[af]?\b|\b(gfx(?:9[0-9a-f]{2}|1[0-2]\d{2}))\b", re.IGNORECASE)
_COMPILED = [(re.compile(pattern, re.IGNORECASE), archs) for pattern, archs in _ONLY_ON]
_COMPILED_NAMES = [(re.compile(pattern, re.IGNORECASE), archs) for pattern, archs in _NAMED]

_NVIDIA = re.compile(
    r"\bcuda\b|\bnvidia\b|\bptx\b|\bnsight\b|\bsm_\d\d|\bcublas|\bcutlass|\bnvcc\b", re.IGNORECASE
)
_AMD = re.compile(
    r"\brocm\b|\bamd\b|\bhip\b|\bgfx9|\bgfx1[0-2]|\bcdna|\brdna|\bhipcc\b|\brocprof", re.IGNORECASE
)
_LICENCES = (
    (r"SPDX-License-Identifier:\s*([\w.+-]+)", None),
    (r"\bApache License,? Version 2\.0|\bApache-2\.0\b", "Apache-2.0"),
    (r"\bMIT License\b", "MIT"),
    (r"\bBSD[ -]3[ -]Clause\b", "BSD-3-Clause"),
    (r"\bCC[ -]BY[ -]SA[ -]4\.0\b|Attribution-ShareAlike 4\.0", "CC-BY-SA-4.0"),
    (r"\bCC[ -]BY[ -]4\.0\b|Creative Commons Attribution 4\.0", "CC-BY-4.0"),
    (r"\bNVIDIA Corporation.{0,40}All rights reserved", "proprietary (NVIDIA)"),
    (r"\bAdvanced Micro Devices.{0,40}All rights reserved", "proprietary (AMD)"),
)
_VERSION = re.compile(r"(?:version|release|revision|rev\.|v)\s?(\d+(?:\.\d+){1,3}\w{0,4})\b", re.IGNORECASE)
_IN_TITLE = re.compile(r"\b(\d+\.\d+(?:\.\d+)?)\b")
_IN_PLACE = re.compile(r"(?:^|[/_-])v?(\d+\.\d+(?:\.\d+)?)(?=[/_.-]|$)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def targets(text: str) -> tuple[str, ...]:
    """The targets that `text` holds for because it uses instructions that only they have; else none.

    Targets and architectures named beside such an instruction count too: the text compares them.
    """
    held = [archs for pattern, archs in _COMPILED if pattern.search(text)]
    if not held:
        return ()
    narrowest = {arch for archs in held for arch in archs if not _covers_another(archs, held)}
    return tuple(sorted(narrowest | set(_named(text))))


def _covers_another(archs: tuple[str, ...], held: Sequence[tuple[str, ...]]) -> bool:
    """Whether a narrower family of `held` lies within `archs`: the narrower one decides."""
    return any(set(other) < set(archs) for other in held)


def _named(text: str) -> Iterator[str]:
    for pattern, archs in _COMPILED_NAMES:
        if pattern.search(text):
            yield from archs
    for found in _TARGET.finditer(text):
        yield f"sm_{found[1]}" if found[1] else found[2].lower()


def targets_of_title(title: str) -> tuple[str, ...]:
    """The targets a whole document is about by its title, as of an instruction set or tuning guide."""
    if not re.search(
        r"\b(tuning|isa|instruction set|architecture|reference|whitepaper|compatibility)\b", title, re.I
    ):
        return ()
    return tuple(dict.fromkeys(_named(title)))


def vendor(source: str, text: str) -> str:
    """ "nvidia" or "amd" if the address or nearly all its words say so, else "any"."""
    place = source.lower()
    for name, marks in (("nvidia", ("nvidia",)), ("amd", ("rocm", "amd.com", "gpuopen"))):
        if any(mark in place.rpartition("://")[2].partition("/")[0] for mark in marks):
            return name
    sample = text[:200_000]
    ours, theirs = len(_NVIDIA.findall(sample)), len(_AMD.findall(sample))
    if ours + theirs < 3 or 0.1 < ours / (ours + theirs) < 0.9:
        return "any"
    return "nvidia" if ours > theirs else "amd"


def version(title: str, source: str, text: str) -> str:
    """The release a document belongs to: from its title, its address, or its first lines."""
    found = (
        _VERSION.search(title)
        or _IN_TITLE.search(title)
        or _IN_PLACE.search(re.sub(r"^\w+://[^/]*", "", source))
        or _VERSION.search(re.sub(r"licen[cs]e[^\n]{0,40}version \S+", "", text[:1500], flags=re.IGNORECASE))
    )
    return found[1].removesuffix(".") if found else ""


def licence(text: str) -> str:
    """The licence that the text names at its beginning or its end, in SPDX's words where it has some."""
    ends = text[:6000] + "\n" + text[-6000:]
    for pattern, name in _LICENCES:
        found = re.search(pattern, ends, re.IGNORECASE)
        if found:
            return name or found[1]
    return ""


def date(text: str) -> str:
    """`text` as year-month-day if it is a date in one of the usual ways of writing, else nothing."""
    found = re.search(r"\b(\d{4})-(\d\d)(?:-(\d\d))?", text)
    if found:
        return "-".join(part for part in found.groups() if part)
    found = re.search(r"\b([A-Za-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})\b", text)
    if found and found[1].lower() in _MONTHS:
        return f"{found[3]}-{_MONTHS.index(found[1].lower()) + 1:02}-{int(found[2]):02}"
    return ""
