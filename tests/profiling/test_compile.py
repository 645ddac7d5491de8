"""The stand-in card leaves no trace, the JIT specialises as on a card, and both roads to ptxas' log agree."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from triton.runtime import driver

from kbgen.hardware_specs.spec import find_spec
from kbgen.profiling.compile import _OutputPerThread, _ptxas_log, compile_all, first_complaint
from kbgen.profiling.launches import Launch, recording
from kbgen.profiling.standin import Card, present
from kbgen.profiling.static import _card


@triton.jit(do_not_specialize=["count"])
def scale_kernel(x_ptr, out_ptr, n, stride, count, scale, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets * stride, mask=offsets < n)
    tl.store(out_ptr + offsets, x * scale + count, mask=offsets < n)


def card(device: str = "h100") -> Card:
    return Card(**_card(find_spec(device)))


def launched(x: Any, n: int, **options: int) -> Launch:
    with present(card()), recording() as recorder, FakeTensorMode(allow_non_fake_inputs=True):
        scale_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](
            x(), torch.empty(n), n, 1, 16, 0.5, BLOCK=1024, **options
        )
    (launch,) = recorder.launches
    return launch


def test_arguments_are_specialised_as_on_a_card() -> None:
    launch = launched(lambda: torch.empty(4097)[1:], 4096, num_warps=8)
    (variant,) = launch.variants
    source, options = variant.request.source, variant.request.options
    assert variant.grid == (4, 1, 1)
    assert options["num_warps"] == 8
    assert source.signature["stride"] == "constexpr"  # it is one
    assert source.signature["n"] == "i32"
    assert source.signature["scale"] == "fp32"
    divisible = {
        path[0] for path, attributes in source.attrs.items() if ["tt.divisibility", 16] in attributes
    }
    names = list(source.signature)
    assert {names[index] for index in divisible} == {"out_ptr", "n"}  # a shifted view and `count` are not


def test_the_own_ptxas_log_says_what_tritons_says() -> None:
    launch = launched(lambda: torch.empty(4096), 4096)
    ((attempt,),) = compile_all([launch], shared_limit_bytes=232_448)
    assert attempt.compiled is not None
    request = launch.variants[0].request
    kernel = triton.compile(request.source, target=request.target, options=dict(request.options))
    assert f"Used {attempt.compiled.registers} registers" in _ptxas_log(kernel)


def test_the_stand_in_leaves_everything_as_it_was() -> None:
    before = (
        torch.cuda.current_device,
        torch.nn.Module._apply,
        dict(vars(driver)),
        "data_ptr" in vars(FakeTensor),
    )
    with present(card()):
        assert torch.cuda.get_device_properties().multi_processor_count == 132
        assert driver.active.get_current_target().arch == 90
    assert before == (
        torch.cuda.current_device,
        torch.nn.Module._apply,
        dict(vars(driver)),
        "data_ptr" in vars(FakeTensor),
    )


def test_an_amd_card_answers_with_its_architecture() -> None:
    with present(card("mi300x")):
        assert torch.cuda.get_device_properties(0).gcnArchName == "gfx942"
        assert driver.active.get_current_target().backend == "hip"
        assert driver.active.utils.get_device_properties(0)["multiprocessor_count"] == 304


def test_modules_are_moved_and_converted_on_fake_tensors() -> None:
    with present(card()), FakeTensorMode():
        layer = torch.nn.BatchNorm1d(4).cuda().to("cuda", torch.bfloat16)
        assert layer.weight.dtype == torch.bfloat16
        assert layer.weight.requires_grad
        assert layer.running_mean is not None
        assert layer.running_mean.dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("at 7:11:\n    x = foo\nNameError('foo is not defined')", "Error: NameError('foo is not defined')"),
        (
            "ptxas a.ptx, line 8; error   : bad\nptxas fatal   : aborted",
            "Error: ptxas a.ptx, line 8; error   : bad",
        ),
        ("", "Error"),
    ],
)
def test_a_compilers_complaint_is_cut_to_the_telling_line(message: str, sentence: str) -> None:
    class Error(Exception):
        pass

    assert first_complaint(Error(message)) == sentence


def test_output_of_two_threads_stays_apart() -> None:
    output, together = _OutputPerThread(), Barrier(2)

    def speak(word: str) -> str:
        for _ in range(100):
            together.wait()
            output.write(word)
        return output.text()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(speak, ("a", "b"))) == ["a" * 100, "b" * 100]
