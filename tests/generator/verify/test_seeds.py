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


def test_one_that_the_module_has_too_makes_its_weights() -> None:
    assert own_seed(CANDIDATE, PLAIN.replace("pass", f"table = {DRAWN}")) is None
    assert own_seed(PLAIN, PLAIN) is None
