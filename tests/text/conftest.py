"""Makes each program below this folder a test; scripts/text_tests.py says how one is written."""

import difflib
import pathlib

import pytest
import text_tests

HERE = pathlib.Path(__file__).parent


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".py" and file_path.parent != HERE:
        return TextFile.from_parent(parent, path=file_path)
    return None


class TextFile(pytest.File):
    def collect(self):
        yield TextTest.from_parent(self, name="text")


class TextTest(pytest.Item):
    def runtest(self):
        _, expected, now = text_tests.run_file(self.path)
        if expected != now:
            lines = difflib.unified_diff(
                expected.splitlines(), now.splitlines(), "expected", "printed", lineterm="", n=2
            )
            name = self.path.relative_to(text_tests.ROOT)
            advice = f"if this is right: scripts/update-text-tests {name}"
            raise text_tests.Failure("\n".join([*lines, "", advice]))

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, text_tests.Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, 0, str(self.path.relative_to(HERE))
