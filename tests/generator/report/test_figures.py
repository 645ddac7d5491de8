"""Numbers are written so that a person does not misread them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbgen.generator.report import figures


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (2 << 30, "2.0 GiB"), (None, "-")]
)
def test_sizes_are_binary(count: int | None, text: str) -> None:
    assert figures.size(count) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (1048576, "1,048,576"),
        (0.5, "0.5"),
        (2.5e-7, "2.5e-07"),
        (1234.5, "1,234"),
        (None, "-"),
    ],
)
def test_numbers(value: object, text: str) -> None:
    assert figures.number(value) == text


def test_times_keep_their_unit() -> None:
    assert figures.microseconds(12.34) == "12.3 us"
    assert figures.microseconds(12340) == "12.34 ms"


def test_access_widths_come_widest_first_whatever_their_key_type() -> None:
    assert figures.widths({"32": 1, "128": 4}) == figures.widths({32: 1, 128: 4}) == "4 x 128 bit, 1 x 32 bit"


def test_a_place_says_only_what_is_known() -> None:
    assert figures.place({"title": "Guide", "section": "2", "version": "1.0"}) == "Guide, 2 (1.0)"
    assert figures.place({"title": "Guide", "section": "", "version": None}) == "Guide"
    assert figures.place({"title": "Guide", "section": "Guide > Loads"}) == "Guide, Loads"
    assert figures.place(None) == "-"


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5)
)
def test_any_value_has_a_cell(value: object) -> None:
    assert isinstance(figures.cell(value), str)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("void mine::rows<float, 4>(float const*, int)", "mine::rows<...>"),
        ("void at::native::(anonymous namespace)::norm_kernel<float>(int)", "at::native::norm_kernel<...>"),
        (
            "void elementwise_kernel<128, 2, void gpu_kernel_impl_nocast<BinaryFunctor<float, "
            "binary_internal::MulFunctor<float>>>(TensorIteratorBase &)>(int, T3)",
            "elementwise_kernel<MulFunctor>",
        ),
        ("void reduce_kernel<512, 1, ReduceOp<float, MeanOps<float>>>(T3)", "reduce_kernel<MeanOps>"),
        ("a<b<c>>::d<e>(x)", "a<...>::d<...>"),
        ("operator<", "operator<"),
        ("(lambda)", "(lambda)"),
        ("", ""),
        ("x" * 80, "x" * 57 + "..."),
    ],
)
def test_a_kernel_is_called_by_what_tells_it_apart(name: str, shown: str) -> None:
    assert figures.kernel(name) == shown
