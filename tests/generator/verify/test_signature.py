"""What two forwards call their arguments, and whether they read them."""

from kbgen.generator.verify.text.signature import misread

OP = "class Model:\n    def forward(self, x, y, mask=None):\n        return x - y if mask is None else mask\n"
SWAPPED = "class ModelNew:\n    def forward(self, y, x, mask=None):\n        return y, x, mask\n"
UNREAD = "class ModelNew:\n    def forward(self, x, y, mask=None):\n        return x - y\n"
OTHERS = "class ModelNew:\n    def forward(self, left, right):\n        return left - right\n"


def test_the_same_names_in_another_order_are_refused() -> None:
    found = misread(SWAPPED, OP)
    assert found is not None
    assert found[0] == "wrong-structure"


def test_an_optional_argument_that_nobody_reads_leaves_the_verdict_open() -> None:
    assert misread(UNREAD, OP) == ("unjudged-path", "its forward takes mask and never reads it")
    assert misread(UNREAD, OP.replace("if mask is None else mask", "")) is None


def test_other_names_and_fewer_are_as_good() -> None:
    assert misread(OTHERS, OP) is None
    assert misread(OP.replace("Model", "ModelNew"), OP) is None
