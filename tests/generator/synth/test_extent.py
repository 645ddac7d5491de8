"""Sizes as source: whatever text is found must give the size in every trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kbgen.generator.writers.synth.extent import Extent, express, product

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))
KNOWN = st.dictionaries(st.sampled_from(["a", "b", "c"]), SIZES.map(Extent), max_size=3)


def _value(text: str, known: dict[str, Extent], trace: int) -> int:
    names = {name: size.values[trace] for name, size in known.items()}
    return int(eval(text, {"__builtins__": {}}, names))


@settings(deadline=None)
@given(SIZES.map(Extent), KNOWN, st.booleans())
def test_the_text_gives_the_size_in_every_trace(target: Extent, known: dict[str, Extent], sums: bool) -> None:
    text = express(target, known, sums=sums)
    if text is not None:
        assert tuple(_value(text, known, i) for i in (0, 1)) == target.values


@settings(deadline=None)
@given(KNOWN.filter(bool))
def test_a_product_of_known_sizes_is_always_found(known: dict[str, Extent]) -> None:
    assert express(product(known.values(), Extent((1, 1))), known) is not None


def test_names_come_before_numbers_and_numbers_before_quotients() -> None:
    width, heads = Extent((4096, 64)), Extent((32, 32))
    assert express(width, {"x.shape[1]": width}) == "x.shape[1]"
    assert express(heads, {"x.shape[1]": width}) == "32"
    assert express(Extent((2048, 32)), {"x.shape[1]": width}) == "x.shape[1] // 2"
    assert express(Extent((4095, 63)), {"x.shape[1]": width}) == "x.shape[1] - 1"
    assert express(Extent((7, 9)), {"x.shape[1]": width}) is None


def test_a_chance_difference_is_not_taken_inside_a_kernel() -> None:
    assert express(Extent((3, 5)), {"n_rows": Extent((6, 8))}, sums=False) is None
