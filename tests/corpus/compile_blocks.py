"""Compiles the Triton blocks of the corpus for GPUs that are not here.

Run as `python compile_blocks.py blocks.json results.json`. A block opens with comment lines that say how
it is launched; the first is required, `expect` may repeat:
    # signature: x_ptr=*bf16 n=i32 stride=i32:16 BLOCK=1024     (":16" = known to be a multiple of 16)
    # options: num_warps=8 num_stages=3
    # targets: sm_90 gfx942                                       (default: sm_80 sm_90 gfx942)
    # expect sm_90: wgmma.mma_async                               (this text stands in the assembly)
    # refused sm_80: Unsupported                                  (compiling fails and says this)
    # since: 3.6                                                  (older versions of Triton skip the block)
Pointers are taken as 16-byte aligned, as torch allocates them, unless a number follows the type; ":2G" says
that the tensor is smaller, as the JIT tells AMD's compiler. This runs in a child process because a kernel
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

    if kernel.is_gluon():
        from triton.experimental.gluon._runtime import GluonASTSource as ASTSource
    types, constants, attrs = {}, {}, {}
    for item in signature.split():
        name, _, value = item.partition("=")
        value, *known = value.split(":")
        if re.fullmatch(r"[*].+|[iu](1|8|16|32|64)|fp(16|32|64)|bf16|tensordesc<.+>", value):
            types[name] = value
            multiple = next((k for k in known if k.isdigit()), "16" if value.startswith("*") else "1")
            facts = [["tt.divisibility", int(multiple)]] if multiple != "1" else []
            facts += [["tt.pointer_range", 32]] if "2G" in known else []
            attrs |= {(kernel.arg_names.index(name),): facts} if facts else {}
        else:
            types[name], constants[name] = "constexpr", literal(value)
    return ASTSource(kernel, types, constexprs=constants, attrs=attrs)


def literal(text: str):
    """A number, true or false, or else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def compile_block(kernel, heads: dict[str, str], target: str) -> dict[str, object]:
    """Assembly text, registers and spilled bytes per thread of one kernel for one target."""
    import triton
    from triton import knobs

    options = {k: literal(v) for k, v in (item.split("=") for item in heads.get("options", "").split())}
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


def last_kernel(path: Path):
    """The last kernel a file defines, out of its `autotune` and `heuristics`; helpers stand before it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from triton.runtime import Autotuner, Heuristics, JITFunction

    found = [
        value for value in vars(module).values() if isinstance(value, Autotuner | Heuristics | JITFunction)
    ]
    kernel = found[-1]
    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    return kernel


def is_older(version: str, than: str) -> bool:
    return [int(part) for part in version.split(".")[:2]] < [int(part) for part in than.split(".")]


def main(blocks_json: Path, results_json: Path) -> None:
    import triton

    results = []
    for number, item in enumerate(json.loads(blocks_json.read_text())):
        heads = directives(item["code"])
        if is_older(triton.__version__, heads.get("since", "3.4")):
            continue
        path = blocks_json.parent / f"block_{number}.py"
        path.write_text("import triton\nimport triton.language as tl\n\n" + item["code"])
        refused = {key.split()[1]: text for key, text in heads.items() if key.startswith("refused ")}
        for target in [*heads.get("targets", " ".join(DEFAULT_TARGETS)).split(), *refused]:
            row = {
                "card": item["card"],
                "target": target,
                "expect": heads.get(f"expect {target}", "").splitlines(),
                "refusal": refused.get(target, ""),
            }
            try:
                row |= compile_block(last_kernel(path), heads, target)
            except Exception as error:
                row["error"] = f"{type(error).__name__}: {complaint(error)}"
            results.append(row)
    results_json.write_text(json.dumps(results))


def complaint(error: BaseException) -> str:
    """An error's text with that of its causes: Triton names the line first and the reason behind it."""
    parts = []
    cause: BaseException | None = error
    while cause is not None:
        parts.append(str(cause)[:1000])
        cause = cause.__cause__
    return " / ".join(parts)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
