"""Sizes as source: whatever text is found must give the size in every trace."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kbgen.generator.writers.synth.extent import Derived, Extent, express, product, ungrouped

SIZES = st.tuples(st.integers(1, 40), st.integers(1, 40))
KNOWN = st.dictionaries(st.sampled_from(["a", "b", "c"]), SIZES.map(Extent), max_size=3)


def _value(text: str, known: dict[str, Extent], trace: int) -> int:
    names = {name: size.values[trace] for name, size in known.items()}
    return int(eval(text, {"__builtins__": {}}, names))


@settings(deadline=None)
@given(SIZES.map(Extent), KNOWN, st.booleans())
def test_the_text_gives_the_size_in_every_trace(
    target: Extent, known: dict[str, Extent], chance: bool
) -> None:
    text = express(target, known, chance=chance)
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


def test_products_of_few_sizes_are_found_among_the_hundreds_of_a_network() -> None:
    """All products of four of them would be a hundred million."""
    names = {f"self.layers[{i}].weight.shape[0]": Extent((8 * i + 24, i + 3)) for i in range(240)}
    known = {"x.shape[0]": Extent((16, 5)), "x.shape[2]": Extent((224, 31)), **names}
    assert express(Extent((16 * 224, 5 * 31)), known) == "x.shape[0] * x.shape[2]"
    assert express(Extent((3 * 224, 3 * 31)), known) == "3 * x.shape[2]"
    assert express(Extent((112, 29)), known) is None


def test_a_chance_difference_is_not_taken_inside_a_kernel() -> None:
    assert express(Extent((3, 5)), {"n_rows": Extent((6, 8))}, chance=False) is None


@settings(deadline=None)
@given(SIZES.map(Extent), st.integers(1, 4), st.integers(-9, 9), st.integers(1, 4), st.integers(-3, 3))
def test_the_text_of_a_derived_size_is_its_formula(
    of: Extent, times: int, add: int, over: int, plus: int
) -> None:
    size = Extent(tuple((times * n + add) // over + plus for n in of.values))
    derived = Derived(size, of, times, add, over, plus)
    assert derived.holds
    assert tuple(_value(derived.text("n"), {"n": of}, i) for i in (0, 1)) == size.values
    assert not Derived(size + 1, of, times, add, over, plus).holds


def test_derived_sizes_read_as_a_person_writes_them() -> None:
    """Windows of 3 with and without stride and padding, and a transposed one."""
    n = Extent((112, 8))
    texts = [
        Derived(n, n, *numbers).text("n")
        for numbers in ((1, -1, 2, 1), (1, 2, 1, -2), (1, -3, 1, 1), (2, 1, 1, 0))
    ]
    assert texts == ["(n - 1) // 2 + 1", "n", "n - 2", "2 * n + 1"]


def test_brackets_around_the_whole_are_taken_off_and_no_others() -> None:
    assert ungrouped("(x.shape[2] - 1)") == "x.shape[2] - 1"
    assert ungrouped("(a - 1) // 2 * (b - 1)") == "(a - 1) // 2 * (b - 1)"
    assert ungrouped("((a - 1) // 2 + 1)") == "(a - 1) // 2 + 1"
    assert express(Extent((56, 4)), {"(n - 2)": Extent((112, 8))}) == "(n - 2) // 2"
