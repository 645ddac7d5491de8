"""A device has the features of its compiler target, and ptxas agrees on what each NVIDIA target can do."""

import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from kbgen.hardware_specs.spec import all_specs, features, find_spec


def matrix(kind: str, a: int, b: int, c: str = "f0,f1,f2,f3", tail: str = "") -> str:
    """A matrix instruction with `a` and `b` registers of operands and accumulator registers `c`."""
    registers = [",".join(f"r{first + n}" for n in range(count)) for first, count in ((0, a), (4, b))]
    return f"{kind} {{{c}}}, {{{registers[0]}}}, {{{registers[1]}}}, {{{c}}}{tail};"


# One instruction per feature. Registers: r and q hold 32 and 128 bit, d 64, f fp32, p a predicate.
INSTRUCTIONS = {
    "tensor_core_fp16": matrix(
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", 2, 2, "f0,f1,f2,f3,f4,f5,f6,f7"
    ),
    "ldmatrix": "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r0}, [r1];",
    "tanh_approx": "tanh.approx.f32 f0, f1;",
    "cp_async": "cp.async.cg.shared.global [r1], [d1], 16;",
    "async_barrier": "mbarrier.init.shared.b64 [r1], 1;",
    "redux_sync": "redux.sync.add.s32 r0, r1, 0xffffffff;",
    "redux_sync_f32": "redux.sync.max.f32 f0, f1, 0xffffffff;",
    "bf16x2_fma": "fma.rn.bf16x2 r0, r1, r2, r3;",
    "l2_persistence": "createpolicy.fractional.L2::evict_last.b64 d0, 1.0;",
    "stmatrix": "stmatrix.sync.aligned.m8n8.x1.shared.b16 [r1], {r0};",
    "tma": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d1], 16, [r2];",
    "clusters": "barrier.cluster.arrive.aligned;",
    "distributed_shared_memory": "ld.shared::cluster.b32 r0, [r1];",
    "setmaxnreg": "setmaxnreg.dec.sync.aligned.u32 40;",
    "programmatic_dependent_launch": "griddepcontrol.wait;",
    "wide_float_atomics": "red.global.add.v4.f32 [d1], {f0,f1,f2,f3};",
    "wgmma": "wgmma.fence.sync.aligned;",
    "tcgen05": "tcgen05.fence::before_thread_sync;",
    "access_256_bit": "ld.global.v4.b64 {d0,d1,d2,d3}, [d1];",
    "cluster_launch_control": "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p0, q0;",
    "bf16_mma": matrix("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1),
    "tf32_mma": matrix("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1),
    "int8_mma": matrix("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 1, 1, "r6,r7"),
    "fp8_mma": matrix("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2),
    "block_scaled_mma_sync": matrix(
        "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0",
        4, 2, tail=", {r6}, {h0, h1}, {r7}, {h0, h1}",
    ),
    "sparse_2to4": matrix(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 2, 2, tail=", r6, 0x0"
    ),
}  # fmt: skip
TARGETS = sorted(
    {spec.arch for spec in all_specs() if spec.vendor == "nvidia"}, key=lambda arch: int(arch[3:])
)


def assemble(target: str, instruction: str, folder: Path) -> bool:
    """Whether ptxas accepts `instruction` for `target` with its full instruction set."""
    from triton import knobs

    number = int(target[3:])
    name = f"{target}a" if number >= 90 else target
    tool = knobs.nvidia.ptxas_blackwell.path if number >= 100 else knobs.nvidia.ptxas.path
    wide = ".reg .b128 q<2>;" if "q0" in instruction else ""
    registers = f".reg .b32 r<8>; .reg .f32 f<8>; .reg .b64 d<4>; .reg .b16 h<2>; .reg .pred p<1>; {wide}"
    head = f".version {8.8 if number >= 100 else 8.7}\n.target {name}\n.address_size 64\n"
    (folder / "one.ptx").write_text(
        f"{head}.visible .entry k() {{ {registers} {instruction} ret; }}\n", encoding="utf-8"
    )
    command = [tool, "-arch", name, str(folder / "one.ptx"), "-o", str(folder / "one.cubin")]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def edges(feature: str) -> Iterator[tuple[str, bool]]:
    """The targets beside which a feature begins or ends, with what features.yaml says of them."""
    has = {target: target in features()[feature].targets for target in TARGETS}
    for one, other in pairwise(TARGETS):
        if has[one] != has[other]:
            yield from ((one, has[one]), (other, has[other]))


@pytest.mark.parametrize("feature", INSTRUCTIONS)
def test_ptxas_draws_the_line_where_the_table_does(feature: str, tmp_path: Path) -> None:
    lines = dict(edges(feature)) or {TARGETS[0]: True}
    assert {target: assemble(target, INSTRUCTIONS[feature], tmp_path) for target in lines} == lines


def test_every_device_has_the_features_of_its_target_and_its_own() -> None:
    for spec in all_specs():
        own = set(spec.sheet.features.own)
        assert not own & set(features()), "a feature of the target is no feature of one device"
        assert spec.features - own == {name for name, it in features().items() if spec.arch in it.targets}
    assert "mig" in find_spec("h100").features
    assert "mig" not in find_spec("rtx4090").features


def test_targets_of_features_are_targets_of_devices() -> None:
    known = {spec.arch for spec in all_specs()}
    for name, feature in features().items():
        assert set(feature.targets) <= known, name
        assert len(feature.targets) == len(set(feature.targets)), name


def test_what_an_older_generation_began_still_holds() -> None:
    began_with_ampere = {
        "ldmatrix",
        "cp_async",
        "bf16_mma",
        "tf32_mma",
        "l2_persistence",
        "sparse_2to4",
        "redux_sync",
    }
    for device in ("h100", "b200", "b300", "rtx5090"):
        assert began_with_ampere <= find_spec(device).features
    assert {"mfma", "packed_fp32", "dpp", "buffer_access"} <= find_spec("mi355x").features


def test_what_a_later_generation_dropped_is_not_inherited() -> None:
    assert "wgmma" not in find_spec("b200").features
    assert "tcgen05" not in find_spec("rtx5090").features
    assert "tf32_mma" not in find_spec("mi355x").features
    assert "fp8_fnuz" not in find_spec("mi355x").features
