"""The words of one vendor for what the other calls by another name: a question finds its counterpart."""

import re

# NVIDIA's word and AMD's; what a question says in one is searched for in both on the other's devices.
_PAIRS = (
    (r"warps?", r"wave(?:front)?s?", "warp", "wave wavefront"),
    (r"shared[- ]memory|smem", r"lds", "shared memory", "LDS"),
    (
        r"tensor[- ]cores?",
        r"(?:v_)?(?:mfma|wmma)(?:_\w+)?|matrix cores?",
        "tensor core mma",
        "matrix core MFMA WMMA v_mfma",
    ),
    (r"thread ?blocks?|ctas?", r"work-?groups?", "thread block", "workgroup"),
    (r"sms?|streaming multiprocessors?|multiprocessors?", r"cus?|compute units?", "SM", "CU compute unit"),
    (r"cp\.async(?:\.\w+)*", r"global_load_lds\w*", "cp.async", "global_load_lds direct to LDS"),
    (r"(?:cp\.async\.)?wait_group", r"s_waitcnt|vmcnt", "cp.async.wait_group", "s_waitcnt vmcnt"),
    (r"nsight(?: compute)?|ncu", r"rocprof\w*|omniperf", "Nsight Compute ncu", "rocprofv3 rocprof-compute"),
    (r"nvtx", r"roctx", "NVTX", "roctx"),
    (r"ptx|sass", r"amdgcn|gcn isa", "PTX SASS", "AMDGCN ISA"),
    (r"(?:__)?shfl\w*|warp shuffles?", r"dpp|ds_bpermute\w*", "shuffle shfl.sync", "DPP ds_bpermute"),
    (r"maxnreg|launch bounds", r"waves_per_eu", "maxnreg launch bounds", "waves_per_eu"),
    (r"mig", r"cpx|nps4", "MIG", "CPX NPS4 partition"),
    (r"nvidia-smi", r"rocm-smi|amd-smi", "nvidia-smi", "rocm-smi"),
    (r"nvcc", r"hipcc", "nvcc", "hipcc"),
    (r"cuda", r"hip|rocm", "CUDA", "HIP ROCm"),
)  # fmt: skip
_COMPILED = tuple(
    (
        re.compile(rf"(?<![\w.])(?:{nvidia})(?![\w.])", re.I),
        re.compile(rf"(?<![\w.])(?:{amd})(?![\w.])", re.I),
        ours,
        theirs,
    )
    for nvidia, amd, ours, theirs in _PAIRS
)


def counterparts(text: str, vendor: str | None) -> str:
    """The words that `vendor` has for what `text` says in the other's; nothing without a vendor."""
    found: list[str] = []
    for nvidia, amd, ours, theirs in _COMPILED:
        if vendor == "amd" and nvidia.search(text):
            found.append(theirs)
        elif vendor == "nvidia" and amd.search(text):
            found.append(ours)
    return " ".join(found)
