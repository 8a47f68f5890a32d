"""Every example of the pages runs, in order, as one program a page."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["docs/python.md", "sdk/python/README.md"])
def test_examples(page, tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    assert blocks, f"{page} has no example"
    (tmp_path / "roof.md").write_text("# Roof\n\nSlate lasts a century.\n", encoding="utf-8")
    program = tmp_path / "examples.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    out = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, f"{page}:\n{out.stdout}\n{out.stderr}"
