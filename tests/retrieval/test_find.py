"""A question in any form finds its passages, within what a device can run; a name that means none is told."""

from pathlib import Path

import pytest

from kbgen.kb.library import Library
from kbgen.kb.page import Page
from kbgen.retrieval.asked import NotAQuestion, read_query, recognise
from kbgen.retrieval.find import find, find_for
from kbgen.retrieval.gate import UnknownTarget, boundary


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("why is my kernel slow", "words"),
        ("what does cp.async.bulk.tensor do?", "words"),
        ("smsp__warp_issue_stalled_long_scoreboard", "metric"),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "metric"),
        ("TCC_EA_RDREQ_sum", "metric"),
        ("CUDA error: an illegal memory access was encountered", "error"),
        ("triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 147456", "error"),
        ("x = tl.load(ptr + offs, mask=mask)", "code"),
        ("__global__ void k(float* x) {\n  x[threadIdx.x] = 0;\n}", "code"),
        ('{"family": "norm", "bottlenecks": [{"class": "dram_bandwidth", "evidence": "91 %"}]}', "profile"),
        ('{"kernels": [{"bottlenecks": [{"class": "spills", "evidence": "64 bytes"}]}]}', "profile"),
        ("{", "words"),
    ],
)
def test_the_form_of_a_question_is_recognised(text: str, form: str) -> None:
    assert recognise(text).form == form


def test_code_and_messages_give_their_telling_names() -> None:
    code = recognise("for (int i = 0; i < n; ++i) {\n  tile[i] = __shfl_xor_sync(mask, acc, i);\n}")
    assert code.text.split()[0] == "__shfl_xor_sync"
    message = recognise(
        'File "/a/b.py", line 3\nRuntimeError: Triton Error [CUDA]: misaligned address 0x7f00'
    )
    assert "misaligned address" in message.text
    assert "0x7f00" not in message.text
    profile = recognise('{"family": "norm", "bottlenecks": [{"class": "spills", "evidence": "64 bytes"}]}')
    assert profile.text == "spills: 64 bytes. norm operator"


def test_a_file_is_read_as_the_question_it_holds(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("bank conflicts")
    assert read_query(tmp_path / "q.txt") == "bank conflicts"
    (tmp_path / "b.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NotAQuestion, match="is not text"):
        read_query(tmp_path / "b.bin")


@pytest.mark.parametrize(("name", "nearest"), [("sm_9000", "sm_90"), ("gfx94", "gfx942"), ("sm_91", "sm_90")])
def test_an_unknown_target_is_one_sentence_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownTarget, match=f'called "{name}"; nearest: .*{nearest}'):
        boundary(name)


def test_targets_and_devices_mean_their_boundary() -> None:
    assert boundary("h100").archs[0] == boundary("sm_90").archs[0] == boundary("SM90a").archs[0] == "sm_90"
    assert boundary("mi300x").vendor == "amd"


def found(library: Library, text: str, arch: str) -> dict[str, str]:
    return {hit.doc_id: hit.fallback for hit in find(library, text, arch=arch, k=20).result.hits}


@pytest.mark.parametrize("arch", ["sm_90", "sm_120", "rtx4090", "gfx942"])
def test_what_a_target_cannot_run_is_never_given(arch: str, library: Library) -> None:
    given = found(library, "products tensor memory cp.async latency bandwidth", arch)
    assert "tensor-memory" not in given
    assert ("wgmma" in given) is (arch == "sm_90")
    assert ("swizzle" in given) is (arch == "gfx942")


def test_a_parents_page_is_given_and_says_so(library: Library) -> None:
    hits = find(library, "cp.async hides latency", arch="sm_90").result.hits
    (old,) = [hit for hit in hits if hit.doc_id == "old-trick"]
    assert old.fallback == "sm_80"
    assert "written for sm_80, whose code holds on sm_90" in old.why


def test_a_feature_that_the_device_lacks_shuts_a_page_out(library: Library) -> None:
    page = Page(
        id="needs", kind="howto", title="N", body="latency tricks", origin="library", requires=("no_such",)
    )
    library.add(page)
    assert "needs" not in found(library, "latency tricks", "sm_90")
    assert "needs" in {hit.doc_id for hit in find(library, "latency tricks").result.hits}


def test_a_diagnosis_is_a_question(library: Library, diagnosis: object, traced: object) -> None:
    from kbgen.hardware_specs.spec import find_spec

    answer = find_for(library, diagnosis, traced, find_spec("h100"))
    assert answer.asked.form == "profile"
    assert answer.archs[0] == "sm_90"
    assert {"fuse-rows", "vector-width"} <= {hit.doc_id for hit in answer.result.hits}


def test_every_hit_says_why(library: Library) -> None:
    assert all(hit.why for hit in find(library, "bandwidth").result.hits)
