"""The runner of text tests, on a command that is a small shell script."""

import importlib.machinery
import importlib.util

import pytest
import text_tests

COMMAND = """#!/bin/sh
case "$1" in
  echo) cat "$2" | grep -v '^#'; echo "path $2"; echo "warned" >&2;;
  partial) printf 'no line end';;
  fail) echo "$2:4:1: error[TF2001]: unknown" >&2; exit 1;;
  stack) ulimit -s;;
esac
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    command = tmp_path / "tilefoundry"
    command.write_text(COMMAND)
    command.chmod(0o755)
    monkeypatch.setenv("TILEFOUNDRY_BIN", str(command))

    def make(text):
        path = tmp_path / "case.py"
        path.write_text(text)
        return path

    return make


@pytest.fixture
def update(root):
    place = str(root / "scripts" / "update-text-tests")
    loader = importlib.machinery.SourceFileLoader("update_text_tests", place)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module.update


def test_both_streams_are_kept_and_paths_are_named(write):
    _, expected, now = text_tests.run_file(write("# RUN: tilefoundry echo %s\nx = 1\n\ny = 2\n"))
    assert expected != now
    assert now.splitlines()[1:] == [
        "# ---- tilefoundry echo %s",
        "# OUT| x = 1",
        "# OUT|",
        "# OUT| y = 2",
        "# OUT| path %s",
        "# ERR| warned",
    ]


def test_an_update_makes_the_test_pass_and_is_idempotent(write, update):
    path = write("# RUN: tilefoundry echo %s\n# RUN: tilefoundry partial\nx = 1\n")
    assert update(path)
    program, expected, now = text_tests.run_file(path)
    assert expected == now and program.endswith("x = 1\n")
    assert "# OUT~ no line end\n" in now
    assert not update(path)


def test_a_changed_output_is_seen(write, update):
    path = write("# RUN: tilefoundry echo %s\nx = 1\n")
    update(path)
    path.write_text(path.read_text().replace("x = 1\n", "x = 3\n", 1))
    _, expected, now = text_tests.run_file(path)
    assert expected != now


def test_exit_codes_are_never_rewritten(write, update):
    path = write("# RUN: tilefoundry fail %s\nx\n")
    with pytest.raises(text_tests.Failure, match="ended with 1, not 0"):
        update(path)


def test_an_error_comment_needs_its_diagnostic_and_the_other_way_round(write):
    head = "# RUN: tilefoundry fail %s\n# EXIT: 1\nx\n"
    text_tests.run_file(write(head + "y  # ERROR: TF2001\n"))
    with pytest.raises(text_tests.Failure, match="line 4 says ERROR: TF2002"):
        text_tests.run_file(write(head + "y  # ERROR: TF2002\n"))
    with pytest.raises(text_tests.Failure, match="no such diagnostic points there"):
        text_tests.run_file(write(head + "\ny  # ERROR: TF2001\n"))


def test_every_diagnostic_needs_a_comment_once_one_has_it():
    fail = text_tests.Result(1, "", "%s:1:1: error[TF2001]: a\n%s:2:1: error[TF2002]: b\n")
    text_tests.check_annotations("x\ny\n", [fail])
    text_tests.check_annotations("x  # ERROR: TF2001\ny  # ERROR: TF2002\n", [fail])
    with pytest.raises(text_tests.Failure, match="TF2002 points at line 2"):
        text_tests.check_annotations("x  # ERROR: TF2001\ny\n", [fail])


def test_a_file_without_a_command_and_a_foreign_command_are_refused(write):
    with pytest.raises(text_tests.Failure, match="no '# RUN:'"):
        text_tests.run_file(write("x = 1\n"))
    with pytest.raises(text_tests.Failure, match="starts with 'tilefoundry'"):
        text_tests.run_file(write("# RUN: rm %s\nx = 1\n"))


def test_commands_run_on_a_small_stack(write):
    _, _, now = text_tests.run_file(write("# RUN: tilefoundry stack\nx = 1\n"))
    assert f"# OUT| {text_tests.STACK}\n" in now
