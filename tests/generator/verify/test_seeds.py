"""A candidate has no seed that its op has not."""

from kbgen.generator.verify.text.seeds import own_seed

DRAWN = "self.table = torch.rand(4, generator=torch.Generator().manual_seed(0))"
CANDIDATE = f"""class ModelNew:
    def __init__(self):
        {DRAWN}
"""
PLAIN = """class Model:
    pass
"""
INPUTS = """
def get_inputs():
    torch.manual_seed(42)
    return [torch.rand(4)]
"""


def test_a_seed_of_its_own_guesses_inputs() -> None:
    for op in (PLAIN, PLAIN + INPUTS):
        found = own_seed(CANDIDATE, op)
        assert found is not None
        assert found[0] == "forbidden-code"
        assert "line 3" in found[1]


def test_a_function_that_yields_has_none() -> None:
    yields = "import typing\n\ndef tiles(n) -> typing.Generator:\n    yield from range(n)\n"
    assert own_seed(yields, PLAIN) is None
    assert own_seed("import typing\n" + CANDIDATE.replace("torch.Generator()", "(torch.Generator())"), PLAIN)


def test_a_name_that_is_both_is_torch() -> None:
    assert own_seed("import typing as torch\nimport torch\n" + CANDIDATE, PLAIN)


def test_one_that_the_module_has_too_makes_its_weights() -> None:
    assert own_seed(CANDIDATE, PLAIN.replace("pass", f"table = {DRAWN}")) is None
    assert own_seed(PLAIN, PLAIN) is None


def test_a_kernel_draws_nothing_where_its_op_draws_nothing() -> None:
    kernel = "import triton.language as tl\n\ndef probe(out):\n    tl.store(out, {})\n"
    for drawn in ("tl.rand(7, 0)", "tl.random.philox(7, 0, 0, 0, 0)"):
        assert own_seed(kernel.format(drawn), PLAIN) is not None
        assert own_seed(kernel.format(drawn), "import torch\nx = torch.nn.functional.dropout\n") is None
        assert own_seed(kernel.format(drawn), "def __init__(self):\n    torch.rand(4)\n")
    assert own_seed(kernel.format("tl.exp(7.0)"), PLAIN) is None
