"""Looking words up must not take a GPU: bm25s would start JAX where it is installed."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import sys
from pathlib import Path
from kbgen.kb.lexical import LexicalIndex, write
folder = Path(sys.argv[1])
folder.mkdir()
write(folder, ["ld.global.v4", "cp.async"])
assert LexicalIndex(folder).size == 2
assert "jax" not in sys.modules
"""


def test_bm25s_does_not_start_jax(tmp_path: Path) -> None:
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("raise SystemExit('JAX was imported')")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM}"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "index")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
