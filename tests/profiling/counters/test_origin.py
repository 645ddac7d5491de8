"""A name tells whose a kernel is where it is a library's own, and what it does where a word says so."""

import pytest

from kbgen.profiling.counters.origin import Origin, origin


@pytest.mark.parametrize(
    ("name", "library", "family"),
    [
        ("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn", "cuBLAS", "matmul"),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_cublas", "cuBLAS", "matmul"),
        ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", "cuBLAS", "matmul"),
        ("void cublasLt::splitKreduce_kernel<32, 16>(params)", "cuBLAS", "matmul"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm>(Params)", "cuBLAS or CUTLASS", "matmul"),
        ("void cutlass::device_kernel<GemmUniversal<X>>(Params)", "CUTLASS", "matmul"),
        ("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_nhwckrsc_nhwc", "cuDNN", "conv"),
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", "cuDNN", "attention"),
        ("void pytorch_flash::flash_fwd_kernel<traits>(params)", "FlashAttention", "attention"),
        ("fmha_cutlassF_f16_aligned_64x64_rf_sm80", "PyTorch memory-efficient attention", "attention"),
        ("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI16x16x16x1", "rocBLAS or hipBLASLt (Tensile)", "matmul"),
        ("miopenSp3AsmConv_v30_3_1_gfx9_fp16_dot2", "MIOpen", "conv"),
        ("MIOpenBatchNormFwdTrainSpatial", "MIOpen", "norm"),
        ("void ck_tile::kentry<FmhaFwdKernel>(x)", "Composable Kernel", "attention"),
        ("void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>(int)", "PyTorch", "pointwise"),
        ("void at::native::reduce_kernel<512, 1, ReduceOp<float>>(x)", "PyTorch", "reduction"),
        ("void at::native::(anonymous namespace)::softmax_block<float>(x)", "PyTorch", "softmax"),
        ("void elementwise_kernel<128, 2, gpu_kernel_impl_nocast<MulFunctor>>(int)", "PyTorch", "pointwise"),
        ("triton_red_fused__softmax_1", "PyTorch Inductor", "reduction"),
        ("ncclDevKernel_AllReduce_Sum_f16_RING_LL", "NCCL or RCCL", "communication"),
    ],
)
def test_library_kernels_are_known_by_name(name: str, library: str, family: str) -> None:
    assert origin(name) == Origin(library, family)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("rms_norm_kernel", "norm"),
        ("RMSNormFwd", "norm"),
        ("layer_norm_fwd", "norm"),
        ("_fused_softmax", "softmax"),
        ("my_matmul_kernel", "matmul"),
        ("void mine::hgemm<float>(const float*, softmax_params)", "matmul"),  # parameters tell nothing
        ("reduce_kernel", "reduction"),  # a user's own as likely as PyTorch's
        ("elementwise_kernel", "pointwise"),
        ("summarize_rows", None),  # no `sum` between seams
        ("transposeCoalesced", None),
        ("_fwd_kernel", None),
        ("", None),
    ],
)
def test_a_kernel_of_nobody_in_particular_is_told_by_its_words(name: str, family: str | None) -> None:
    assert origin(name) == Origin(None, family)
