"""Numbers that a kernel may be launched with otherwise are found where they stand, and no others."""

import pytest

from kbgen.generator.retune.parameters import read_parameters

KERNEL = """
import triton
import triton.language as tl
{before}

{decorator}@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr, GROUP: tl.constexpr, HEADS: tl.constexpr):
    {body}

class ModelNew:
    def forward(self, x):
        {host}
        {launch}
"""

LEFT_OUT = {"scale: waves_per_eu": ("waves", 0, [""]), "scale: maxnreg": ("registers", 0, [""])}
"""Options of one vendor that any launch may have, and none of these names."""


def file(launch: str, host: str = "", before: str = "", body: str = "pass", decorator: str = "") -> str:
    return KERNEL.format(launch=launch, host=host, before=before, body=body, decorator=decorator)


def found(source: str) -> dict[str, tuple[str, int, list[str]]]:
    """Kind, value and what stands at each place, by name; options that are left out stand nowhere."""
    whole = source.encode()
    return {
        one.name: (one.kind, one.value, [whole[p.start : p.end].decode() for p in one.places])
        for one in read_parameters(source)
    }


def test_numbers_at_the_launch_and_options_left_out() -> None:
    said = found(file("scale[(4,)](x, out, n, BLOCK=256, GROUP=8, HEADS=12, num_warps=8)"))
    assert said == {
        "scale: BLOCK": ("block", 256, ["256"]),
        "scale: GROUP": ("group", 8, ["8"]),
        "scale: num_warps": ("warps", 8, ["8"]),
        **LEFT_OUT,
    }
    looped = found(file("scale[(4,)](x, out, n, 256)", body="for _ in range(n): pass"))
    assert looped["scale: num_stages"] == ("stages", 3, [""])
    assert looped["scale: num_warps"] == ("warps", 4, [""])
    assert looped["scale: BLOCK"] == ("block", 256, ["256"])


def test_a_number_that_the_host_repeats_moves_with_it() -> None:
    said = found(
        file("scale[(triton.cdiv(n, 256),)](x, out, n, BLOCK=256, num_warps=4)", host="m = n // 256")
    )
    assert said["scale: BLOCK"] == ("block", 256, ["256"] * 3)
    other = found(file("scale[(triton.cdiv(n, 64),)](x, out, n, BLOCK=256, num_warps=4)"))
    assert other["scale: BLOCK"] == ("block", 256, ["256"])


@pytest.mark.parametrize("where", ["host", "before"])
def test_a_name_that_is_set_once_is_followed(where: str) -> None:
    said = found(file("scale[(4,)](x, out, n, BLOCK=SIZE)", **{where: "SIZE, other = 128, 7"}))
    assert said["scale: BLOCK"] == ("block", 128, ["128"])


def test_what_is_computed_or_set_twice_is_left_alone() -> None:
    computed = "BLOCK=triton.next_power_of_2(n), num_warps=4"
    assert found(file(f"scale[(4,)](x, out, n, {computed})")).keys() == {"scale: num_warps", *LEFT_OUT}
    twice = file("scale[(4,)](x, out, n, BLOCK=SIZE, num_warps=4)", host="SIZE = 64\n        SIZE = 128")
    assert found(twice).keys() == {"scale: num_warps", *LEFT_OUT}


def test_parameters_that_share_a_number_are_one() -> None:
    said = found(file("scale[(4,)](x, out, n, BLOCK=SIZE, GROUP=SIZE, num_warps=4)", before="SIZE = 16"))
    assert said["scale: BLOCK = scale: GROUP"] == ("block", 16, ["16"])


def test_an_autotuner_s_list_is_a_choice_and_a_list_of_one_is_its_numbers() -> None:
    configs = 'triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 128})'
    decorator = f"@triton.autotune(configs=[{configs}], key=['n'])\n"
    source = file("scale[(4,)](x, out, n)", decorator=decorator)
    (several,) = read_parameters(source)
    assert (several.kind, several.texts) == ("config", tuple(configs.replace("), t", ")|t").split("|")))
    alone = file("scale[(4,)](x, out, n)", decorator=decorator.replace(configs, several.texts[0]))
    assert found(alone) == {
        "scale: BLOCK": ("block", 64, ["64"]), "scale: num_warps": ("warps", 2, ["2"]),
    }  # fmt: skip


def test_products_are_seen_and_letters_beyond_ascii_do_not_shift_places() -> None:
    source = file("scale[(4,)](x, out, n, BLOCK=64, num_warps=4)", before="# µ" * 9, body="y = tl.dot(x, x)")
    assert found(source)["scale: BLOCK"] == ("block", 64, ["64"])
    of_products = {f"scale: {name}" for name in ("matrix_instr_nonkdim", "kpack", "num_ctas")}
    assert found(source).keys() >= of_products
    assert all(one.dots for one in read_parameters(source))
