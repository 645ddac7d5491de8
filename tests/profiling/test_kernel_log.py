"""Grids come from the trace that torch's profiler exports, of both vendors."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from kbgen.profiling.kernel_log import KernelSpan, from_json, read_trace, signature, spans
from kbgen.profiling.vendor import library_share, of_a_library


def event(cat: str, name: str, ts: float, args: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "ph": "X", "cat": cat, "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": 5.5, "args": args or {},
        **more,
    }  # fmt: skip


NVIDIA = {
    "schemaVersion": 1,
    "traceEvents": [
        event("cuda_runtime", "cudaLaunchKernel", 1.0, {"cbid": 211, "correlation": 9}),
        event("kernel", "softmax_kernel", 40.25, {
            "stream": 7, "registers per thread": 32, "shared memory": 16, "blocks per SM": 31.0,
            "grid": [4096, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 75,
        }),
        event("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 30.5, {"stream": 7, "bytes": 4096}),
        event("gpu_memset", "Memset (Device)", 35.0, {"stream": 13}),
        event("gpu_user_annotation", "ProfilerStep#1", 20.0),
        {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}},
    ],
}  # fmt: skip


def test_kernels_and_copies_are_read_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(NVIDIA))
    copy, fill, kernel = read_trace(path)
    assert kernel == KernelSpan("softmax_kernel", 7, 40.25, 5.5, (4096, 1, 1), (128, 1, 1))
    assert kernel.launch == "softmax_kernel 4096x1x1 blocks of 128x1x1"
    assert (copy.launch, copy.grid) == ("Memcpy DtoD (Device -> Device)", None)
    assert (fill.stream, fill.start_us) == (13, 35.0)


def test_a_trace_without_grids_still_has_names_and_streams() -> None:
    """Some versions of roctracer tell no grid; the stream is then the row that the trace shows it on."""
    (kernel,) = spans({"traceEvents": [event("kernel", "Cijk_Alik_Bljk_SB", 1.0)]})
    assert (kernel.grid, kernel.block, kernel.stream) == (None, None, 7)
    assert signature([kernel]) == ("Cijk_Alik_Bljk_SB",)


def test_the_signature_tells_grids_blocks_and_streams_and_not_the_order() -> None:
    first = KernelSpan("a", 7, 0.0, 1.0, (8, 1, 1), (128, 1, 1))
    second = KernelSpan("b", 7, 2.0, 1.0, (8, 1, 1), (128, 1, 1))
    same = signature([second, first])
    assert signature([first, second]) == same
    for other in (
        KernelSpan("b", 7, 2.0, 1.0, (4, 1, 1), (128, 1, 1)),
        KernelSpan("b", 7, 2.0, 1.0, (8, 1, 1), (64, 1, 1)),
        KernelSpan("b", 9, 2.0, 1.0, (8, 1, 1), (128, 1, 1)),
        KernelSpan("c", 7, 2.0, 1.0, (8, 1, 1), (128, 1, 1)),
    ):
        assert signature([first, other]) != same
    assert signature([first]) != same


def test_a_span_survives_its_journey_as_json() -> None:
    for span in (KernelSpan("a", 7, 0.5, 1.5, (8, 1, 1), (128, 1, 1)), KernelSpan("copy", 7, 0.5, 1.5)):
        assert from_json(json.loads(json.dumps(asdict(span)))) == span


@pytest.mark.parametrize(
    ("name", "library"),
    [
        ("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT", True),
        ("ampere_sgemm_128x64_tn", True),
        ("void cublasLt::splitKreduce_kernel<32, 16, int, float, float>(...)", True),
        ("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw", True),
        ("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(...)", True),
        ("Cijk_Ailk_Bljk_SB_MT128x128x16_MI16x16x4x1_SN", True),
        ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(...)", False),
        ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(...)", False),
        ("triton_tem_fused_mm_0", False),
        ("triton_red_fused_native_layer_norm_gelu_0", False),
        ("rmsnorm_kernel", False),
        ("Memcpy DtoD (Device -> Device)", False),
    ],
)
def test_a_library_s_kernels_are_known_by_name(name: str, library: bool) -> None:
    assert of_a_library(name) is library


def test_the_library_s_share_is_of_kernel_time() -> None:
    calls = [[KernelSpan("ampere_sgemm_128x64_tn", 7, 0.0, 30.0), KernelSpan("relu", 7, 30.0, 10.0)]]
    assert library_share(calls) == pytest.approx(0.75)
    assert library_share([[], []]) is None
