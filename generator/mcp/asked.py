"""What an agent may ask of each tool: the arguments, as strict models whose schemas the server hands out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import KbgenError
from ...corpus.document import Vendor
from ...corpus.kinds import Added, Kind

WAIT_S = 45.0
"""How long a call waits for its job unless told otherwise: clients give up on a call after a minute or so."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Short = Annotated[str, Field(min_length=1, max_length=200)]
Path_ = Annotated[str, Field(min_length=1, max_length=4096)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Constant = bool | int | Number | Annotated[str, Field(max_length=200)]


class AskedError(KbgenError):
    """Arguments that a tool cannot take."""


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Search(Asked):
    query: Annotated[str, Field(min_length=1, max_length=20_000)] = Field(
        description="Words, a metric's name, an error message, a piece of code or the text of a profile."
    )
    arch: Short | None = Field(None, description="Target or device that must be able to run it: sm_90, h100.")
    vendor: Vendor | None = Field(None, description="Only passages for this vendor.")
    kind: Kind | Added | None = Field(None, description="Only passages of this kind.")
    toolchain: list[Short] = Field(
        default=[], max_length=8, description="Leave out what holds for other releases: 'triton 3.7'."
    )
    k: int = Field(5, ge=1, le=20, description="How many passages.")


class Specs(Asked):
    name: Short | None = Field(None, description="A device, such as h100 or mi300x; all devices if left out.")


class Waited(Asked):
    """A call that starts a job and waits for it a while."""

    wait_s: float = Field(
        WAIT_S,
        ge=0,
        le=600,
        description="Seconds to wait for the result; then, or at 0, a job's handle comes.",
    )
    full: bool = Field(False, description="The whole document, which can be long, not its telling parts.")


class OnOp(Waited):
    op_path: Path_ | None = Field(
        None, description="Path of an op file: class Model, get_inputs(), get_init_inputs() (KernelBench)."
    )
    op_text: str | None = Field(None, description="The text of the op file, instead of its path.")
    op_name: Name = Field("op", description="What to call the op whose text is given.")
    gpu: Short = Field("auto", description="A device of specs; auto is the card in this machine.")
    mode: Literal["as-is", "train", "eval"] = Field("as-is", description="Mode of the module.")
    overrides: dict[Name, Constant] = Field(
        default={},
        max_length=32,
        description="Module-level constants of the op file to replace: {tokens: 64}.",
    )


class Judged(OnOp):
    candidate_path: Path_ | None = Field(None, description="Path of a kernel file that defines ModelNew.")
    candidate_text: str | None = Field(None, description="The text of the kernel file, instead of its path.")
    precision: Literal["fp32", "tf32", "bf16", "fp16"] = Field(
        "fp32", description="Error budget: the class of rounding error that is admitted."
    )


class Verify(Judged):
    allow: list[Short] = Field(
        default=[],
        max_length=32,
        description="Torch calls that may stay, such as torch.nn.functional.linear.",
    )


class Bench(Judged):
    pass


class Record(Judged):
    technique: Short | None = Field(
        None, description="Id of the one technique that was applied, as advise and search name it."
    )
    note: Annotated[str, Field(max_length=500)] = Field("", description="What was changed, in a sentence.")
    parent_path: Path_ | None = Field(
        None, description="Path of the kernel file that the technique was applied to, to tell what it gained."
    )
    parent_text: str | None = Field(None, description="The text of that file, instead of its path.")
    allow: list[Short] = Field(default=[], max_length=32, description="Torch calls that may stay.")


class Profile(OnOp):
    candidate_path: Path_ | None = Field(None, description="Path of a kernel file to profile, not the op.")
    candidate_text: str | None = Field(None, description="The text of the kernel file, instead of its path.")
    level: Literal["auto", "counters", "static"] = Field(
        "auto", description="The best evidence there is; counters or nothing; or the compiled code alone."
    )


class Advise(OnOp):
    report_path: Path_ | None = Field(
        None,
        description="A profile, instead of an op: .ncu-rep, CSV or text of Nsight Compute, CSV or database "
        "of rocprofv3, a folder of rocprof-compute, or a profile that the profile tool saved.",
    )
    kernel: Short | None = Field(None, description="Of a profile: a regex that a kernel's name must contain.")


class Optimize(OnOp):
    precision: Literal["fp32", "tf32", "bf16", "fp16"] = Field(
        "fp32", description="Error budget: the class of rounding error that is admitted."
    )
    budget_s: float = Field(600, ge=1, le=86_400, description="Seconds that the search may take.")
    max_candidates: int | None = Field(None, ge=1, le=1000, description="Judge no more candidates than this.")
    knowledge: bool = Field(True, description="Whether to ask the knowledge base.")


class JobAsked(Asked):
    job: Short | None = Field(None, description="The handle; without it, the jobs of this server are listed.")
    action: Literal["status", "result", "cancel"] = Field(
        "status", description="How it goes; the document it ended in, waiting wait_s for it; or end it."
    )
    wait_s: float = Field(WAIT_S, ge=0, le=600, description="For result: seconds to wait.")
    full: bool = Field(False, description="The whole document, which can be long, not its telling parts.")


A = TypeVar("A", bound=Asked)


def read(tool: str, model: type[A], arguments: Mapping[str, Any]) -> A:
    """The arguments of a call; AskedError says in one sentence what is wrong with the first wrong one."""
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in detail["loc"]) or "the arguments"
    known = ", ".join(model.model_fields)
    raise AskedError(f"{tool}: {where}: {detail['msg']}; {tool} takes {known}.")
