"""Every example of docs/frameworks.md runs, in order, as one program."""

import pathlib
import re
import subprocess
import sys

import pytest

for framework in ("agents", "anthropic", "google.adk", "langchain_core", "langgraph", "llama_index.core"):
    pytest.importorskip(framework)

PAGE = pathlib.Path(__file__).parents[4] / "docs" / "frameworks.md"


def test_examples(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    program = tmp_path / "examples.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    out = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert out.returncode == 0, f"{out.stdout}\n{out.stderr}"
    assert "I moor the boat in Bergen." in out.stdout and "The anchor rope is blue." in out.stdout
