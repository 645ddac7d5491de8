"""The instruction shelf: every snippet assembles exactly where its page says it does, and nowhere else.

A fence opens with what it claims: targets that take the snippet, targets that refuse it and, for PTX, a
version of the ISA that has it. Of all devices with a sheet only those of the page's archs may assemble it.
    ```ptx isa=7.0 targets=sm_80,sm_86 refused=sm_75
A ptx snippet is the body of a kernel that declares registers %p %h %r %f %rd %d, 4096 bytes `smem` and 8
bytes `bar` (both shared), and has a global address in %rd0. An amdgcn snippet stands alone; an llvm snippet
is a whole module.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass

import pytest

from kbgen.corpus.document import Document, shipped
from kbgen.hardware_specs.spec import all_specs

PAGES = [page for page in shipped() if page.path.startswith("instructions/")]
DEVICES = sorted({spec.target for spec in all_specs()})
FENCE = re.compile(r"^```(ptx|amdgcn|llvm) ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The PTX ISA version that first knows a target, as "major.minor" (PTX ISA, release history).
FIRST_ISA = {
    "sm_50": "4.0", "sm_60": "5.0", "sm_70": "6.0", "sm_75": "6.3", "sm_80": "7.0", "sm_86": "7.1",
    "sm_89": "7.8", "sm_90": "7.8", "sm_90a": "8.0", "sm_100": "8.6", "sm_100a": "8.6", "sm_100f": "8.8",
    "sm_103": "8.8", "sm_103a": "8.8", "sm_103f": "8.8", "sm_120": "8.7", "sm_120a": "8.7", "sm_120f": "8.8",
}  # fmt: skip
MODULE = ".version {isa}\n.target {target}\n.address_size 64\n"
KERNEL = """.visible .entry kernel{number}(.param .u64 pointer) {{
.reg .pred %p<8>; .reg .b16 %h<32>; .reg .b32 %r<32>; .reg .f32 %f<32>; .reg .b64 %rd<32>; .reg .f64 %d<8>;
.shared .align 1024 .b8 smem[4096]; .shared .align 8 .b64 bar;
ld.param.u64 %rd0, [pointer];
{code}
ret;
}}
"""


@dataclass(frozen=True)
class Snippet:
    page: Document
    language: str
    claims: str
    code: str

    def claim(self, key: str) -> list[str]:
        found = re.search(rf"\b{key}=(\S+)", self.claims)
        return found[1].split(",") if found else []

    @property
    def targets(self) -> list[str]:
        return self.claim("targets")

    @property
    def must_refuse(self) -> list[str]:
        """What the fence names, and every device of the language that it does not claim."""
        prefix = "sm_" if self.language == "ptx" else "gfx"
        taken = {arch(target) for target in self.targets}
        others = [device for device in DEVICES if device.startswith(prefix) and arch(device) not in taken]
        return sorted({*self.claim("refused"), *(others if self.targets else [])})


def arch(target: str) -> str:
    """`sm_90a` -> `sm_90`: what a suffix unlocks is still that architecture."""
    return target.rstrip("af") if target.startswith("sm_") else target


def of(language: str) -> list:
    """The snippets of one language as test parameters."""
    return [
        pytest.param(snippet, id=f"{page.id}-{number}")
        for page in PAGES
        for number, snippet in enumerate(Snippet(page, *found) for found in FENCE.findall(page.body))
        if snippet.language == language
    ]


def ptxas(target: str) -> tuple[str, str]:
    """The assembler that Triton uses for `target`, and the newest PTX ISA version it reads."""
    from triton import knobs
    from triton.backends.nvidia.compiler import ptx_get_version

    is_blackwell = int(re.sub(r"\D", "", target)) >= 100
    tool = knobs.nvidia.ptxas_blackwell if is_blackwell else knobs.nvidia.ptxas
    newest = ptx_get_version(tool.version)
    return tool.path, f"{newest // 10}.{newest % 10}"


def complaint(codes: list[str], target: str, isa: str = "") -> str:
    """What ptxas says against kernels with these bodies in PTX `isa` (default: newest); empty if nothing."""
    path, newest = ptxas(target)
    module = MODULE.format(isa=isa or newest, target=target) + "".join(
        KERNEL.format(number=number, code=code) for number, code in enumerate(codes)
    )
    command = [path, f"--gpu-name={target}", "/dev/stdin", "--output-file=/dev/null"]
    run = subprocess.run(command, input=module, capture_output=True, text=True)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def version(isa: str) -> list[int]:
    return [int(part) for part in isa.split(".")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.id)
def test_page_claims_agree(page: Document) -> None:
    assert (page.kind, page.path) == ("instruction", f"instructions/{page.id}.md")
    found = [Snippet(page, *groups) for groups in FENCE.findall(page.body)]
    assert {arch(target) for snippet in found for target in snippet.targets} == set(page.archs)
    assert any(snippet.claim("refused") for snippet in found), "a page shows at least one target that refuses"
    for snippet in found:
        assert not snippet.targets or {arch(target) for target in snippet.targets} == set(page.archs)
    for section in re.split(r"^## ", page.body, flags=re.MULTILINE)[1:]:
        assert FENCE.search(section), f"no snippet under '{section.splitlines()[0]}'"
    assert page.body.count("```") == 2 * len(found), "a fence without claims is not tested"


@pytest.mark.parametrize("snippet", of("ptx"))
def test_ptx_assembles_with_its_isa_version_on_its_oldest_target(snippet: Snippet) -> None:
    if snippet.targets:
        oldest, [isa] = snippet.targets[0], snippet.claim("isa")
        assert complaint([snippet.code], oldest, max(isa, FIRST_ISA[oldest], key=version)) == ""


PTX = [parameter.values[0] for parameter in of("ptx")]


@pytest.mark.parametrize("target", sorted({target for snippet in PTX for target in snippet.targets}))
def test_ptx_assembles_for_every_target_claimed(target: str) -> None:
    assert complaint([snippet.code for snippet in PTX if target in snippet.targets], target) == ""


@pytest.mark.parametrize("snippet", of("ptx"))
def test_ptx_is_refused_everywhere_else(snippet: Snippet) -> None:
    taken = [target for target in snippet.must_refuse if complaint([snippet.code], target) == ""]
    assert taken == []


def assembles(code: str, target: str) -> bool:
    """Whether the LLVM inside Triton assembles `code` for `target`; it complains on standard error."""
    from triton._C.libtriton import amd, llvm
    from triton.backends.amd import compiler

    llvm.init_targets()
    if not hasattr(compiler, "assemble_amdgcn"):
        return bool(amd.assemble_amdgcn(code, target, ""))
    try:  # since Triton 3.9 it is wrapped, and raises
        return bool(compiler.assemble_amdgcn(code, target, ""))
    except RuntimeError as error:
        if "rejected" not in str(error):
            raise
        return False


@pytest.mark.parametrize("snippet", of("amdgcn"))
def test_amdgcn_assembles_where_claimed_and_nowhere_else(
    snippet: Snippet, capfd: pytest.CaptureFixture
) -> None:
    failed = [target for target in snippet.targets if not assembles(snippet.code, target)]
    assert failed == [], capfd.readouterr().err
    assert [target for target in snippet.must_refuse if assembles(snippet.code, target)] == []


TRANSLATE = """
import json, sys
from triton._C.libtriton import llvm

llvm.init_targets()
code, targets = json.load(sys.stdin)
since_3_9 = [False] if "canonicalize_gep" in llvm.translate_to_asm.__doc__ else []
for target in targets:
    llvm.translate_to_asm(code, "amdgcn-amd-amdhsa", target, "", [], False, False, *since_3_9)
"""


def translates(code: str, targets: list[str]) -> bool:
    """Whether LLVM lowers `code` for all `targets`; in a child, because LLVM aborts where it cannot."""
    command = [sys.executable, "-c", TRANSLATE]
    run = subprocess.run(command, input=json.dumps([code, targets]), capture_output=True, text=True)
    assert run.returncode == 0 or "Cannot select" in run.stderr, run.stderr
    return run.returncode == 0


@pytest.mark.parametrize("snippet", of("llvm"))
def test_llvm_intrinsics_lower_where_claimed_and_nowhere_else(snippet: Snippet) -> None:
    assert translates(snippet.code, snippet.targets)
    assert [target for target in snippet.must_refuse if translates(snippet.code, [target])] == []


def test_a_wrong_claim_is_seen() -> None:
    """Controls: the checks above must be able to fail, both ways."""
    assert "requires .target sm_80" in complaint(["cp.async.ca.shared.global [smem], [%rd0], 16;"], "sm_75")
    assert complaint(["add.f32 %f0, %f1, %f2;"], "sm_75") == ""
    assert "line" in complaint(["add.f32 %f0, %f1, %f2;", "add.f32 %f0, %f1;"], "sm_90a")
    assert not assembles("v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]", "gfx950")
    assert assembles("v_add_f32 v0, v1, v2", "gfx950")
