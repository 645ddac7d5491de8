"""Access widths and telling instructions, in the spellings that PTX and the AMD assemblers use."""

import pytest

from kbgen.profiling.isa import read_amdgcn, read_ptx


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];", 128),
        ("@%p1 ld.global.v8.b32 { %r1, %r2 }, [ %rd1 + 0 ];", 256),
        ("ld.global.v2.b64 { %rd2, %rd3 }, [ %rd1 + 0 ];", 128),
        ("ld.global.b16 { %rs1 }, [ %rd1 + 0 ];", 16),
        ("ld.global.L1::evict_last.L2::cache_hint.v4.b32 { %r1 }, [ %rd1 + 0 ], %rd9;", 128),
        ("ld.global.nc.f32 %f1, [%rd1];", 32),
        ("ld.volatile.global.b32 { %r1 }, [ %rd1 + 0 ];", 32),
        ("ld.relaxed.gpu.global.b32 %r1, [%rd1];", 32),
        ("@%p1 cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, %r2;", 128),
        ("cp.async.ca.shared.global [%r1], [%rd1], 4;", 32),
    ],
)
def test_ptx_load_width(line: str, bits: int) -> None:
    reading = read_ptx(f"\t{line}\n")
    assert reading.load_bits == {bits: 1}
    assert reading.store_bits == {}


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("@%p1 st.global.v4.b32 [ %rd1 + 0 ], { %r1, %r2, %r3, %r4 };", 128),
        ("st.global.cs.v4.b32 [ %rd1 + 0 ], { %r1 };", 128),
        ("st.global.b8 [%rd1], %rs1;", 8),
    ],
)
def test_ptx_store_width(line: str, bits: int) -> None:
    reading = read_ptx(f"\t{line}\n")
    assert reading.store_bits == {bits: 1}
    assert reading.load_bits == {}


def test_ptx_accesses_to_other_spaces_do_not_count() -> None:
    lines = (
        "ld.param.b64 %rd1, [k_param_0];",
        "ld.shared.v4.b32 {%r1}, [%r2];",
        "st.shared.b32 [%r2], %r1;",
        "cvta.global.u64 %rd1, %rd2;",
    )
    reading = read_ptx("\n".join(lines))
    assert (reading.load_bits, reading.store_bits) == ({}, {})


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("global_load_dwordx4 v[4:7], v[0:1], off", 128),
        ("buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 offen", 128),
        ("buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 offen", 64),
        ("global_load_dword v1, v0, s[0:1]", 32),
        ("buffer_load_ushort v1, v0, s[8:11], 0 offen", 16),
        ("global_load_ubyte v1, v[0:1], off", 8),
        ("global_load_short_d16_hi v1, v[0:1], off", 16),
        ("buffer_load_b128 v[4:7], v0, s[8:11], 0 offen", 128),
        ("global_load_b32 v1, v[0:1], off", 32),
        ("buffer_load_u16 v1, v0, s[8:11], 0 offen", 16),
        ("global_load_d16_b16 v1, v[0:1], off", 16),
    ],
)
def test_amdgcn_load_width(line: str, bits: int) -> None:
    reading = read_amdgcn(f"\t{line}\n")
    assert reading.load_bits == {bits: 1}
    assert reading.store_bits == {}


@pytest.mark.parametrize(
    ("line", "bits"),
    [
        ("global_store_dwordx4 v[0:1], v[4:7], off", 128),
        ("buffer_store_short v1, v0, s[8:11], 0 offen", 16),
        ("buffer_store_b16 v1, v0, s[8:11], 0 offen", 16),
        ("global_store_b128 v[0:1], v[4:7], off", 128),
    ],
)
def test_amdgcn_store_width(line: str, bits: int) -> None:
    assert read_amdgcn(f"\t{line}\n").store_bits == {bits: 1}


def test_amdgcn_spills_are_local_and_not_global() -> None:
    spill = "\tbuffer_store_dword v1, off, s[0:3], s33 offset:4 ; 4-byte Folded Spill\n"
    reading = read_amdgcn(spill + "\tscratch_load_dword v1, off, s33\n")
    assert (reading.load_bits, reading.store_bits) == ({}, {})
    assert reading.instructions == {"local": 2}


def test_amdgcn_scalar_loads_and_cache_control_do_not_count() -> None:
    lines = (
        "s_load_dwordx4 s[0:3], s[4:5], 0x0",
        "buffer_wbl2 sc1",
        "buffer_inv sc1",
        "ds_read_b128 v[0:3], v4",
    )
    reading = read_amdgcn("".join(f"\t{line}\n" for line in lines))
    assert (reading.load_bits, reading.store_bits, reading.instructions) == ({}, {}, {})


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1};", {"mma": 1, "tf32": 1}),
        ("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1};", {"wgmma": 1}),
        ("tcgen05.mma.cta_group::1.kind::f16 [ %r1 ];", {"tcgen05": 1}),
        ("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1];", {"tma": 1}),
        ("atom.global.gpu.acq_rel.add.f32 %f1, [ %rd1 ], %f2;", {"atomic": 1}),
        ("atom.shared.add.u32 %r1, [%r2], %r3;", {"shared_atomic": 1}),
        ("fma.rn.f64 %fd1, %fd2, %fd3, %fd4;", {"fp64": 1}),
        ("ld.local.b32 %r1, [%rd1];", {"local": 1}),
        ("bar.sync 0;", {"barrier": 1}),
        ("ex2.approx.f32 %f1, %f2;", {"special": 1}),
        ("shfl.sync.bfly.b32 %r1, %r2, 16, 31, -1;", {"shuffle": 1}),
    ],
)
def test_ptx_instructions(line: str, kinds: dict[str, int]) -> None:
    assert read_ptx(f"\t{line}\n").instructions == kinds


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", {"mfma": 1}),
        ("v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]", {"mfma": 1, "tf32": 1}),
        ("v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", {"wmma": 1}),
        ("global_atomic_add_f32 v0, v1, s[0:1]", {"atomic": 1}),
        ("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", {"fp64": 1}),
        ("v_exp_f32_e32 v0, v1", {"special": 1}),
        ("s_barrier", {"barrier": 1}),
    ],
)
def test_amdgcn_instructions(line: str, kinds: dict[str, int]) -> None:
    assert read_amdgcn(f"\t{line}\n").instructions == kinds
