"""Names as ROCm tools print them, cut to the function."""

from __future__ import annotations

import pytest

from kbgen.profiling.counters.kernel_name import function_name


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("vecCopy(double*, double*, double*, int, int) (.kd)", "vecCopy"),
        ("vecCopy(double*, double*, double*, int, int) [clone .kd]", "vecCopy"),
        ("void addition_kernel<float>(float*, float const*, float const*, int, int)", "addition_kernel"),
        (
            "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, f<int>>>(R)",
            "at::native::reduce_kernel",
        ),
        ("void (anonymous namespace)::softmax<float, 4>(float*)", "softmax"),
        ("triton_poi_fused_add_0.kd", "triton_poi_fused_add_0"),
        (
            "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN",
            "Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN",
        ),
        ("_ZN2ns1kEPf.kd", "_ZN2ns1kEPf"),
        ("void ns::operator<< <int>(int)", "void ns::operator<< <int>(int)"),
        ("", ""),
    ],
)
def test_a_name_is_cut_to_the_function(printed: str, name: str) -> None:
    assert function_name(printed) == name
