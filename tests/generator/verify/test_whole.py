"""What counts against a candidate over all of its calls."""

from kbgen.generator.verify.process.exchange import StepReport
from kbgen.generator.verify.stages.whole import unwritten_read

UNWRITTEN = (("unwritten", "kernel: program 0 reads out_ptr[0], which nobody has written"),)


def test_memory_that_nobody_has_written_counts_where_there_is_a_result() -> None:
    fault = unwritten_read([StepReport("ok"), StepReport("ok", violations=UNWRITTEN)])
    assert fault is not None
    assert fault.cause == "unwritten-read"
    assert unwritten_read([StepReport("ok"), StepReport("raised", violations=UNWRITTEN)]) is None
