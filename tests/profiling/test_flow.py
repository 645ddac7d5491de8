"""Loops of an assembly listing: how deep each line lies, and which accesses stream through the innermost."""

from __future__ import annotations

from kbgen.profiling.flow import AMDGCN, PTX, loop_depths
from kbgen.profiling.isa import read_amdgcn, read_ptx

NEST = """
	ld.global.b16 { %rs1 }, [ %rd1 ];
$L__BB0_1:
	ld.global.b32 { %r1 }, [ %rd1 ];
$L__BB0_2:
	ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd2 ];
	@%p1 bra $L__BB0_2;
	setp.lt.s32 %p2, %r5, %r6;
	@%p2 bra $L__BB0_1;
	st.global.b32 [ %rd3 ], { %r1 };
	ret;
"""

OUT_OF_LINE = """
	s_cbranch_scc1 .LBB0_4
	global_load_dwordx4 v[0:3], v4, s[0:1]
	s_branch .LBB0_3
.LBB0_3:
	global_store_dwordx4 v4, v[0:3], s[2:3]
	s_endpgm
.LBB0_4:
	global_load_ushort v0, v4, s[0:1]
	s_branch .LBB0_3
"""


def test_loops_nest() -> None:
    assert loop_depths(NEST.splitlines()[1:], PTX) == [0, 1, 1, 2, 2, 2, 1, 1, 0, 0]


def test_what_streams_is_told_from_what_runs_once() -> None:
    reading = read_ptx(NEST)
    assert (reading.load_bits, reading.store_bits) == ({128: 1}, {})
    assert reading.outside_bits == {16: 1, 32: 2}


def test_a_jump_back_to_a_block_placed_earlier_is_no_loop() -> None:
    assert set(loop_depths(OUT_OF_LINE.splitlines(), AMDGCN)) == {0}
    reading = read_amdgcn(OUT_OF_LINE)
    assert (reading.load_bits, reading.store_bits) == ({128: 1, 16: 1}, {128: 1})
    assert reading.outside_bits == {}


def test_a_loop_entered_in_its_middle_is_one_loop() -> None:
    text = "s_branch .LBB0_2\n.LBB0_1:\ns_nop 0\n.LBB0_2:\ns_cbranch_scc1 .LBB0_1\ns_endpgm"
    assert loop_depths(text.splitlines(), AMDGCN) == [0, 1, 1, 1, 1, 0]
