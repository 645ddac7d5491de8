"""Works out what the counters of an AMD card (CDNA) would read from a description of what a kernel does.

As in nvidia_card.py the description gives what is independent,
and the counters follow: sums over all instances
of their block, as rocprofv3 writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kbgen.hardware_specs.device import DeviceSpec

Counted = dict[str, float]

_LINE = {"gfx90a": 64, "gfx942": 128, "gfx950": 128}
_TRANS = {"gfx90a": 4, "gfx942": 4, "gfx950": 2}
L2_CHANNELS = {"gfx90a": 32, "gfx942": 128, "gfx950": 128}  # of the whole device
_DEFAULTS: dict[str, Any] = {
    "valu": 10, "mfma": 0, "salu": 5, "lds": 0, "ta": 15, "mix": {}, "lanes": 100, "l1": 20, "l1_hit": 0,
    "l2_hit": 40,
    "l2": 15, "conflicts": 0.0, "wait": 20, "wait_issue": 10, "wait_lds": 0, "occ": 60, "full": {},
    "lane_bytes": 4,
    "coalescing": 95, "atomics": 0.0, "atomic_latency": 400, "icache_miss": 0.5, "clock": 0.9, "remote": 0.0,
}  # fmt: skip


def counted(told: Mapping[str, Any], spec: DeviceSpec) -> Counted:
    """Counters of one dispatch; `told` as in the scenario files, percents of peak unless a name says more."""
    of = {**_DEFAULTS, **told}
    units, dies = spec.unit_count or 0, spec.l2_partitions
    cycles = of["us"] * of["clock"] * (spec.clock_mhz or 0)
    slots = cycles * units
    mix = {"fp32": 20, "fp64": 0, "int": 20, "trans": 0} | of["mix"]
    found: Counted = {
        "GRBM_GUI_ACTIVE": cycles * dies,
        "GRBM_COUNT": cycles * dies * 1.02,
        "SQ_BUSY_CU_CYCLES": slots * 0.97,
        "SQ_WAVES": of["grid"] * -(-of["block"] // 64),
        "SQ_WAVE_CYCLES": of["occ"] / 100 * slots * spec.max_warps_per_unit / 4,
        "SQ_VALU_MFMA_BUSY_CYCLES": of["mfma"] / 100 * slots * spec.sub_partitions,
        "SQ_INST_CYCLES_SALU": of["salu"] / 100 * slots,
        "SQ_LDS_IDX_ACTIVE": of["lds"] / 100 * slots,
        "SQ_LDS_BANK_CONFLICT": of["conflicts"] * of["lds"] / 100 * slots,
        "SQC_ICACHE_REQ": slots / 8,
        "SQC_ICACHE_HITS": slots / 8 * (1 - of["icache_miss"] / 100),
        "TA_TA_BUSY_sum": of["ta"] / 100 * slots,
    }
    found |= {
        f"SQ_WAIT_{name}": of[key] / 100 * found["SQ_WAVE_CYCLES"]
        for name, key in (("ANY", "wait"), ("INST_ANY", "wait_issue"), ("INST_LDS", "wait_lds"))
    }
    return (
        found | _vector(of, spec, slots, mix) | _memory(of, spec, cycles, slots) | _waiting_groups(of, slots)
    )


def _vector(of: Mapping[str, Any], spec: DeviceSpec, slots: float, mix: Mapping[str, float]) -> Counted:
    """Vector instructions by kind; a transcendental takes the unit for several turns."""
    turns = 1 + mix["trans"] / 100 * (_TRANS[spec.target] - 1)
    issued = of["valu"] / 100 * slots
    vector = issued / turns
    matrix = of["mfma"] / 100 * slots / 8
    return {
        "SQ_ACTIVE_INST_VALU": issued,
        "SQ_THREAD_CYCLES_VALU": of["lanes"] / 100 * issued * 64,
        "SQ_INSTS_VALU": vector + matrix,
        "SQ_INSTS_MFMA": matrix,
        "SQ_INSTS": 1.4 * vector + matrix,
        **{f"SQ_INSTS_VALU_{kind}_F32": mix["fp32"] / 300 * vector for kind in ("ADD", "MUL", "FMA")},
        **{f"SQ_INSTS_VALU_{kind}_F64": mix["fp64"] / 300 * vector for kind in ("ADD", "MUL", "FMA")},
        "SQ_INSTS_VALU_INT32": mix["int"] / 100 * vector,
        "SQ_INSTS_VALU_INT64": 0.0,
        "SQ_INSTS_VALU_TRANS_F16": 0.0,
        "SQ_INSTS_VALU_TRANS_F32": mix["trans"] / 100 * vector,
        "SQ_INSTS_VALU_TRANS_F64": 0.0,
    }


def _memory(of: Mapping[str, Any], spec: DeviceSpec, cycles: float, slots: float) -> Counted:
    line = _LINE[spec.target]
    looked_up = of["l1"] / 100 * slots
    passed_on = looked_up * (1 - of["l1_hit"] / 100)
    reads = 0.7 * passed_on
    wavefronts = reads * line / (64 * of["lane_bytes"])
    requests = of["l2"] / 100 * cycles * L2_CHANNELS[spec.target]
    read, written = of["read_mb"] * 1e6, of["write_mb"] * 1e6
    found = {
        "TCP_TOTAL_CACHE_ACCESSES_sum": looked_up,
        "TCP_TCC_READ_REQ_sum": reads,
        "TCP_TCC_WRITE_REQ_sum": passed_on - reads,
        "TCP_TCC_ATOMIC_WITH_RET_REQ_sum": 0.0,
        "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum": 0.0,
        "TA_FLAT_READ_WAVEFRONTS_sum": wavefronts,
        "TA_BUFFER_READ_WAVEFRONTS_sum": 0.0,
        "TA_TOTAL_WAVEFRONTS_sum": 1.5 * wavefronts,
        "TCP_TOTAL_ACCESSES_sum": 1.5 * wavefronts * 64 / (4 * of["coalescing"] / 100),
        "TCC_REQ_sum": requests,
        "TCC_HIT_sum": requests * of["l2_hit"] / 100,
        "TCC_MISS_sum": requests * (1 - of["l2_hit"] / 100),
        "TCC_ATOMIC_sum": of["atomics"] * requests,
    }
    ea = "EA" if spec.target == "gfx90a" else "EA0"
    atomics = max(1.0, of["atomics"] * requests)
    found |= {
        f"TCC_{ea}_RDREQ_32B_sum": 0.0,
        f"TCC_{ea}_WRREQ_sum": written / 64,
        f"TCC_{ea}_WRREQ_64B_sum": written / 64,
        f"TCC_{ea}_ATOMIC_sum": atomics,
        f"TCC_{ea}_ATOMIC_LEVEL_sum": atomics * of["atomic_latency"],
    }
    if spec.target == "gfx942":
        wide = read / 128
        found |= {
            "TCC_BUBBLE_sum": wide,
            "TCC_EA0_RDREQ_sum": wide,
            "TCC_EA0_RDREQ_DRAM_sum": wide * (1 - of["remote"]),
        }
    elif spec.target == "gfx950":
        found |= {"TCC_EA0_RDREQ_128B_sum": read / 128, "TCC_EA0_RDREQ_64B_sum": 0.0}
        found |= {"TCC_EA0_RDREQ_GMI_32B_sum": 0.0, "TCC_EA0_RDREQ_IO_32B_sum": of["remote"] * requests}
    else:
        found |= {"TCC_EA_RDREQ_sum": read / 64, "TCC_EA_RDREQ_DRAM_sum": read / 64 * (1 - of["remote"])}
    return found


def _waiting_groups(of: Mapping[str, Any], slots: float) -> Counted:
    """Cycles in which the next work-group found no room, by what was short."""
    names = {
        "waves": "WAVE_SIMD",
        "regs": "VGPR_SIMD",
        "lds": "LDS_CU",
        "barriers": "BAR_CU",
        "groups": "TGLIM_CU",
    }
    return {
        f"SPI_RA_{name}_FULL_CSN": of["full"].get(key, 0) / (100 if "SIMD" in name else 400) * slots
        for key, name in names.items()
    }
