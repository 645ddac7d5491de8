"""Live collection against an executable that behaves as rocprofv3 does, its traps included."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbgen.profiling.counters import rocprof
from kbgen.profiling.counters.record import CounterReport
from kbgen.profiling.counters.refusals import CountersRefused

# Writes what rocprofv3 would for two launches of `gemm` and two of `copy`; KBGEN_FAKE: how it misbehaves.
FAKE = r"""
import json, os, re, sys, time

mode = json.loads(os.environ["KBGEN_FAKE"])
if sys.argv[1:] == ["-L"]:
    print(*(f"Counter_Name        :\t{name}" for name in mode.get("lists", [])), sep="\n")
    sys.exit()
split = sys.argv.index("--")
options, command = sys.argv[1:split], sys.argv[split + 1:]
counters = options[options.index("--pmc") + 1:options.index("--kernel-trace")]
place = options[options.index("-d") + 1]
regex = options[options.index("--kernel-include-regex") + 1] if "--kernel-include-regex" in options else ""
first, last = map(int, re.findall(r"\d+", options[options.index("--kernel-iteration-range") + 1]))
with open(mode["log"], "a") as log:
    log.write(json.dumps({"counters": counters, "command": command, "options": options}) + "\n")
print(mode.get("say", "program output"))
if mode.get("sleep"):
    time.sleep(60)
if mode.get("code"):
    sys.exit(mode["code"])
launches = enumerate([] if mode.get("idle") else ["gemm(float*)", "copy(float*)"] * 2, 1)
counted = ["Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Grid_Size,Workgroup_Size,LDS_Block_Size,VGPR_Count,"
           "Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp"]
traced = ["Kind,Agent_Id,Dispatch_Id,Kernel_Name,Start_Timestamp,End_Timestamp,"
          "Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,Grid_Size_Z"]
seen = []
for n, kernel in launches:
    seen.append(kernel)
    times = f"{1000 * n},{1000 * n + 500}"
    traced.append(f'KERNEL_DISPATCH,"Agent 1",{n},"{kernel}",{times},16,16,1,256,256,1')
    if first <= seen.count(kernel) <= last and re.search(regex, kernel):
        for name in set(counters) - set(mode.get("lacks", [])):
            value = mode.get("value", 100 * n)
            counted.append(f'{n},"Agent 1",{os.getpid()},"{kernel}",65536,256,0,32,{name},{value},{times}')
agents = ["Node_Id,Agent_Type,Name,Product_Name,Cu_Count,Num_Xcc,Simd_Per_Cu,Max_Waves_Per_Simd",
          "1,GPU,gfx942,AMD Instinct MI300X,304,8,4,8"]
if set(counters) & set(mode.get("refuses", [])):
    counted = counted[:1]
tables = {"counter_collection": counted, "kernel_trace": traced, "agent_info": agents}
for name, lines in tables.items():
    if len(lines) > 1:
        with open(f"{place}/run_{name}.csv", "w") as table:
            table.write("\n".join(lines) + "\n")
"""


class Machine:
    """A machine with the fake tool; `runs()` tells how it was called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tool, self.log, self._patch = folder / "rocprofv3", folder / "log", monkeypatch
        self.tool.write_text(f"#!{sys.executable} -SE\n{FAKE}", encoding="utf-8")
        self.tool.chmod(0o755)
        self.scratch = folder / "scratch"
        monkeypatch.setenv("KBGEN_ROCPROFV3", str(self.tool))

    def collect(
        self,
        arch: str | None = "gfx942",
        kernel: str | None = None,
        full: bool = False,
        skip: int = 0,
        count: int = 20,
        timeout_s: float = 30,
        **mode: object,
    ) -> CounterReport:
        self._patch.setenv("KBGEN_FAKE", json.dumps({"log": str(self.log), **mode}))
        return rocprof.collect_rocprof(
            ["python", "train.py", "--pmc"], arch=arch, kernel=kernel, full=full, skip=skip, count=count,
            scratch=self.scratch, timeout_s=timeout_s,
        )  # fmt: skip

    def refusal(self, **mode: object) -> CountersRefused:
        with pytest.raises(CountersRefused) as caught:
            self.collect(**mode)  # type: ignore[arg-type]
        return caught.value

    def runs(self) -> Iterator[dict[str, list[str]]]:
        for line in self.log.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_each_group_is_a_run_of_the_command_and_they_come_back_as_one(machine: Machine) -> None:
    report = machine.collect(full=True)
    runs = list(machine.runs())
    assert [tuple(run["counters"]) for run in runs] == list(rocprof.passes_for("gfx942", full=True))
    assert all(run["command"] == ["python", "train.py", "--pmc"] for run in runs)
    assert [one.kernel for one in report.launches] == ["gemm", "copy", "gemm", "copy"]
    launch = report.launches[1]
    assert (launch.grid_blocks, launch.block_threads) == ((16, 16, 1), (16, 16, 1))
    assert (launch.device_name, launch.value("duration"), launch.value("l2_hit")) == (
        "AMD Instinct MI300X",
        500,
        50,
    )
    assert launch.value("sm_elapsed") == 25
    assert report.notes == ()


def test_the_quick_set_takes_few_passes(machine: Machine) -> None:
    assert [len(rocprof.passes_for(chip, full=False)) for chip in ("gfx90a", "gfx942", "gfx950")] == [2, 3, 3]
    assert machine.collect().launches[0].value("l2_hit") == 50


def test_kernel_and_range_are_the_tools_own_filters(machine: Machine) -> None:
    report = machine.collect(kernel="^gemm", skip=1, count=1)
    assert [one.kernel for one in report.launches] == ["gemm"]
    options = next(iter(machine.runs()))["options"]
    assert options[options.index("--kernel-include-regex") + 1] == "^gemm"
    assert options[options.index("--kernel-iteration-range") + 1] == "[2-2]"
    assert options[options.index("--output-format") + 1] == "csv"


def test_only_what_the_installed_tool_lists_is_asked_for(machine: Machine) -> None:
    wanted = ["GRBM_GUI_ACTIVE", "TCC_HIT", "TCC_MISS", "TCC_REQ", "VALUBusy"]
    report = machine.collect(lists=[*wanted, "SQ_UNHEARD_OF"])
    assert sorted(name for run in machine.runs() for name in run["counters"]) == sorted(wanted)
    assert report.notes == ()


def test_the_list_is_read_as_the_tool_prints_it() -> None:
    sample = Path(__file__).resolve().parents[4] / "shared/data/profiles/amd/rocprofv3-2025-08/list-avail.txt"
    if not sample.is_file():
        pytest.skip("the sample profiles are not here")
    assert rocprof.listed(sample.read_text(encoding="utf-8")) == {
        "processor_id_low", "ALUStalledByLDS", "SQ_WAVES"
    }  # fmt: skip


def test_a_counter_that_the_tool_drops_in_silence_is_noticed(machine: Machine) -> None:
    report = machine.collect(lacks=["TCC_MISS"])
    assert report.launches[0].value("l2_hit") is None
    assert report.notes == ("asked for and not counted: TCC_MISS",)


def test_a_pass_without_a_table_and_exit_code_0_is_noticed(machine: Machine) -> None:
    report = machine.collect(refuses=["TCC_BUBBLE"])
    assert report.launches[0].value("dram_read") is None
    assert report.launches[0].value("l2_hit") == 50
    assert report.notes == ("asked for and not counted: TCC_BUBBLE, TCC_EA0_RDREQ, TCC_EA0_RDREQ_32B",)


def test_the_warning_about_permission_stays_with_the_numbers(machine: Machine) -> None:
    warning = (
        "W20251120 ioctl.cpp:69] Device 1 could not be locked for profiling due to lack of permissions "
        "(capability SYS_PERFMON). PMC Counters may be inaccurate"
    )
    report = machine.collect(say=warning)
    assert all("CAP_PERFMON" in one.flags[0] for one in report.launches)
    assert (machine.scratch / "rocprofv3" / "output.txt").read_text(encoding="utf-8").count(warning) == 3


def test_what_an_earlier_run_left_is_not_read_again(machine: Machine) -> None:
    machine.collect(full=True)
    assert machine.collect(lacks=["TCC_HIT"]).launches[0].value("l2_hit") is None


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"arch": "gfx1030"}, r"no counter formulas for gfx1030; profile on one of gfx90a, gfx942"),
        ({"arch": None}, r"no counter formulas for this card"),
        ({"idle": True}, r"launched no kernel on an AMD card; .*/dev/kfd"),
        ({"kernel": "attention"}, r"none that match 'attention'; compare --kernel"),
        (
            {"code": 3, "say": "hipErrorNoDevice"},
            r"ended with code 3.*\(hipErrorNoDevice\); check that the command",
        ),
        ({"value": 0}, r"gfx942 gives no counters: all read 0.*timing and compiled code"),
        (
            {"arch": "gfx1201", "refuses": ["GRBM_GUI_ACTIVE", "GL2C_EA_RDREQ_32B"]},
            r"lacks the counters; see what `rocprofv3 -L`",
        ),
        ({"sleep": True, "timeout_s": 0.4}, r"did not end within 0.4 s"),
    ],
)
def test_a_refusal_says_why_and_what_to_do(machine: Machine, asked: dict[str, object], says: str) -> None:
    error = machine.refusal(**asked)
    assert error.refusal.symptom
    assert error.refusal.cure
    error_text = str(error)
    assert "\n" not in error_text
    with pytest.raises(CountersRefused, match=says):
        raise error


def test_a_program_that_dies_in_a_later_pass_leaves_what_was_counted(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    honest = rocprof._pass

    def dying(*arguments: object) -> object:
        runs.append(1)
        found = honest(*arguments)  # type: ignore[arg-type]
        return found if len(runs) == 1 else rocprof._Pass(139, "Segmentation fault", False, False)

    monkeypatch.setattr(rocprof, "_pass", dying)
    report = machine.collect()
    assert report.launches[0].value("l2_hit") == 50
    assert "the program ended without a kernel in pass 2 of 3: Segmentation fault" in report.notes


def test_without_the_tool_its_absence_is_the_refusal(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBGEN_ROCPROFV3", "/nowhere/rocprofv3")
    assert "rocprofv3 is not installed" in str(machine.refusal())
    monkeypatch.delenv("KBGEN_ROCPROFV3")
    monkeypatch.setenv("PATH", str(machine.tool.parent))
    assert rocprof.find_tool() == machine.tool
    machine.tool.write_text("#!/nowhere/python\n", encoding="utf-8")
    assert "does not start" in str(machine.refusal())
