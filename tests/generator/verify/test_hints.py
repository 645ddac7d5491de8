"""What a candidate's text tells of the calls to try it by."""

import pytest

from kbgen.generator.verify.shapes.hints import hints

LOOP = "for start in range(0, n, {tile}):\n    pass\n"
KERNEL = "@triton.jit\ndef one(x):\n    pass\n"
TUNED = "@triton.autotune([])\n@triton.jit\ndef two(x):\n    pass\n"
JITTED = "from triton import jit\n@jit\ndef one(x):\n    pass\n"


@pytest.mark.parametrize(
    ("tile", "found"),
    [
        ("64", 128),
        ("256", 256),
        ("1 << 11", 2048),
        ("2**9", 512),
        ("4 * 256", 1024),
        ("300", 128),
        ("8192", 128),
    ],
)
def test_longest_tile_is_a_power_of_two_that_a_file_with_loops_names(tile: str, found: int) -> None:
    assert hints(LOOP.format(tile=tile)).longest_tile == found


def test_longest_row_is_a_power_of_two_that_any_file_names() -> None:
    told = hints("BLOCK = min(triton.next_power_of_2(columns), 1 << 12)\nLIMIT = 65536 * 2\n")
    assert (told.longest_row, told.longest_tile) == (4096, 0)


def test_a_file_without_loops_has_no_tiles() -> None:
    assert hints("BLOCK = 1024  # for each\n").longest_tile == 0


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (KERNEL, False),
        (KERNEL + TUNED, True),
        (JITTED, False),
        (JITTED + "@jit(noinline=True)\ndef two(x):\n    pass\n", True),
        ("if x.shape[0] == y:\n    pass\n", True),
        ("z = one if columns > 4096 else two\n", True),
        ("z = one if x.is_contiguous() else two\n", False),
    ],
)
def test_several_kernels_and_conditions_on_sizes_are_paths(text: str, paths: bool) -> None:
    assert hints(text).paths is paths


def test_casts_promises_and_units_are_names_and_no_words_of_a_comment() -> None:
    told = hints("# int8, multiple_of, multi_processor_count\n")
    assert (told.short_integers, told.promises, told.units) == (False, False, False)
    told = hints("x = tl.multiple_of(x.to(tl.int16), 8)\nn = getattr(card, 'multi_processor_count')\n")
    assert (told.short_integers, told.promises, told.units) == (True, True, True)


@pytest.mark.parametrize(
    ("line", "asks"), [("tl.atomic_add(p, 1)", False), ("n = tl.atomic_add(p, 1)", True)]
)
def test_what_an_atomic_found_may_be_made_use_of(line: str, asks: bool) -> None:
    assert hints(line).asks_atomics is asks


def test_a_hash_is_multiplied_by_odd_numbers_of_either_sign_as_64_bits_hold_them() -> None:
    text = (
        "h = h * 31 + x\nk = (x * -1640531527) >> 12\nLARGE = 0x9E3779B97F4A7C15\nEND = 0x7FFFFFFF\nB = 64\n"
    )
    assert hints(text).factors == (0x9E3779B97F4A7C15 - (1 << 64), -1640531527, 31)


@pytest.mark.parametrize(
    ("line", "keeps"),
    [
        ("def forward(self, x):\n    self.parts = x\n", True),
        ("def forward(self, x):\n    PARTS[x.shape] = x\n", True),
        ("def make(x):\n    global PARTS\n    PARTS = x\n", True),
        ("def __init__(self, x):\n    self.parts = x\n", False),
        ("def forward(self, x):\n    kernel[(self.parts,)](x)\n", False),
    ],
)
def test_what_outlives_a_call_is_assigned_outside_a_constructor(line: str, keeps: bool) -> None:
    assert hints(line).keeps is keeps
