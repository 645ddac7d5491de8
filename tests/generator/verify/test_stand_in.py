"""What a candidate's process takes for a card."""

import subprocess
import sys

RECURRENT = """
import torch
from kbgen.generator.verify.stages.record import device_answers
from kbgen.generator.verify.process.stand_in import stand_in
from kbgen.hardware_specs.spec import find_spec

def touched(*_):
    raise RuntimeError("the driver was asked")

torch.backends.cudnn.is_acceptable = lambda tensor: tensor.is_cuda  # as a build with CUDA has it
torch.cuda.device_of = touched
card = device_answers(find_spec("h100"))
stand_in(card["properties"], card["arch"])
assert torch.empty(1).is_cuda
torch.nn.LSTM(4, 4)
"""


def test_a_recurrent_layer_is_made_without_the_driver() -> None:
    """Its weights would be laid out by cuDNN, for which a judged process has neither card nor addresses."""
    subprocess.run([sys.executable, "-c", RECURRENT], check=True)
