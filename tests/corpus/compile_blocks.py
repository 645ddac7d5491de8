"""Compiles the Triton blocks of cards for GPUs that are not here.

Run as `python compile_blocks.py blocks.json results.json`. A block opens with comment lines that say how
it is launched; the first is required, `expect` may repeat:
    # signature: x_ptr=*bf16 n=i32 stride=i32:16 BLOCK=1024     (":16" = known to be a multiple of 16)
    # options: num_warps=8 num_stages=3
    # targets: sm_90 gfx942                                       (default: sm_80 sm_90 gfx942)
    # expect sm_90: wgmma.mma_async                               (this text stands in the assembly)
Pointers are taken as 16-byte aligned, as torch allocates them. This runs in a child process because a kernel
must live in a file and because `TRITON_INTERPRET`, read at decoration, must be off.
"""

import contextlib
import importlib.util
import io
import json
import re
import sys
from pathlib import Path

DEFAULT_TARGETS = ("sm_80", "sm_90", "gfx942")


def directives(block: str) -> dict[str, str]:
    """The `# key: value` lines at the head of a block; repeated keys are joined by newlines."""
    found: dict[str, str] = {}
    for line in block.splitlines():
        match = re.match(r"# ([a-z0-9_ ]+): (.+)$", line)
        if match is None:
            break
        found[match[1]] = f"{found[match[1]]}\n{match[2]}" if match[1] in found else match[2]
    return found


def gpu_target(name):
    from triton.backends.compiler import GPUTarget

    if name.startswith("sm_"):
        return GPUTarget("cuda", int(name[3:]), 32)
    return GPUTarget("hip", name, 64 if name.startswith("gfx9") else 32)


def source(kernel, signature: str):
    """An `ASTSource` specialised as the JIT would: aligned pointers, constants folded."""
    from triton.compiler import ASTSource

    types, constants, attrs = {}, {}, {}
    for item in signature.split():
        name, _, value = item.partition("=")
        value, _, multiple = value.partition(":")
        if value.startswith("*") or value in (
            "i1",
            "i8",
            "i16",
            "i32",
            "i64",
            "fp16",
            "bf16",
            "fp32",
            "fp64",
        ):
            types[name] = value
            if value.startswith("*") or multiple:
                attrs[(kernel.arg_names.index(name),)] = [["tt.divisibility", 16]]
        else:
            types[name], constants[name] = "constexpr", json.loads(value)
    return ASTSource(kernel, types, constexprs=constants, attrs=attrs)


def compile_block(kernel, heads: dict[str, str], target: str) -> dict[str, object]:
    """Assembly text, registers and spilled bytes per thread of one kernel for one target."""
    import triton
    from triton import knobs

    options = {k: int(v) for k, v in (item.split("=") for item in heads.get("options", "").split())}
    log = io.StringIO()
    with knobs.nvidia.scope(), knobs.compilation.scope(), contextlib.redirect_stdout(log):
        knobs.nvidia.dump_ptxas_log = True
        knobs.compilation.always_compile = True
        built = triton.compile(source(kernel, heads["signature"]), target=gpu_target(target), options=options)
    if target.startswith("sm_"):
        text = log.getvalue()
        registers = re.search(r"Used (\d+) registers", text)
        spills = re.search(r"(\d+) bytes spill stores", text)
        assembly = built.asm["ptx"]
    else:
        assembly = built.asm["amdgcn"]
        registers = re.search(r"\.vgpr_count:\s+(\d+)", assembly)
        spills = re.search(r"\.vgpr_spill_count:\s+(\d+)", assembly)
    return {
        "assembly": assembly,
        "registers": int(registers[1]) if registers else None,
        "spills": int(spills[1]) if spills else None,
        "shared": built.metadata.shared,
    }


def kernels(path: Path) -> dict[str, object]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from triton.runtime.jit import JITFunction

    return {name: value for name, value in vars(module).items() if isinstance(value, JITFunction)}


def main(blocks_json: Path, results_json: Path) -> None:
    results = []
    for number, item in enumerate(json.loads(blocks_json.read_text())):
        path = blocks_json.parent / f"block_{number}.py"
        path.write_text("import triton\nimport triton.language as tl\n\n" + item["code"])
        heads = directives(item["code"])
        for target in heads.get("targets", " ".join(DEFAULT_TARGETS)).split():
            row = {
                "card": item["card"],
                "target": target,
                "expect": heads.get(f"expect {target}", "").splitlines(),
            }
            try:
                kernel = list(kernels(path).values())[-1]  # helpers first, the kernel last
                row |= compile_block(kernel, heads, target)
            except Exception as error:
                row["error"] = f"{type(error).__name__}: {str(error)[:500]}"
            results.append(row)
    results_json.write_text(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
