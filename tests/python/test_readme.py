"""The README says what is so."""

import re
import subprocess

import pytest


@pytest.fixture(scope="module")
def blocks(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def output(command, root, *arguments):
    done = subprocess.run(
        [command, *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def test_the_program_is_the_example(root, blocks):
    assert blocks[0] == (root / "examples" / "rmsnorm.py").read_text(encoding="utf-8")


def test_the_result_of_the_run(root, command, blocks):
    now = output(command, root, "run", "examples/rmsnorm.py", "--inputs", "random", "--verify")
    # The last digits of the errors are the processor's.
    assert now.split("max abs")[0] == blocks[1].split("max abs")[0]
    assert "PASS" in now.splitlines()[0] and "PASS" in blocks[1].splitlines()[0]


def test_every_folder_is_in_the_map(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.split()
    folders = {name.split("/")[0] for name in listed if "/" in name and name[0] != "."}
    assert {name for name in folders if f"| `{name}/` |" not in text} == set()
