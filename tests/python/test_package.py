"""The Python package, built and installed from the checkout into an environment of its own."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "package_programs.py"


@pytest.fixture(scope="session")
def python(root, tmp_path_factory):
    """The interpreter of a fresh environment into which `pip install` put the package.

    Build requirements, NumPy and pytest come from the environment that runs the tests.
    """
    folder = tmp_path_factory.mktemp("package")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    outer = [path for path in sys.path if path.endswith("site-packages")]
    pathlib.Path(site, "outer.pth").write_text("\n".join(outer) + "\n", encoding="utf-8")
    # The compiler's name is the one that the presets find, and ccache's folder is not the private
    # one of the tests: so both builds share what they compile.
    environment = {"CXX": "c++", "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count()), **os.environ}
    environment.pop("XDG_CACHE_HOME", None)
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        + ["--no-build-isolation", "--no-deps", f"--config-settings=build-dir={folder}/build"]
        + ["--force-reinstall", root],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return python


def run(python, *arguments, **options):
    return subprocess.run(
        [python, *arguments], capture_output=True, text=True, check=False, timeout=600, **options
    )


def test_the_package_is_the_installed_one(python, root):
    done = run(python, "-c", "import tilefoundry; print(tilefoundry.__file__)", cwd=root)
    assert done.returncode == 0, done.stderr
    assert str(python.parent.parent) in done.stdout


def test_the_module_and_the_script_are_the_same_command(python):
    module = run(python, "-m", "tilefoundry", "--version")
    script = run(python.parent / "tilefoundry", "--version")
    assert (module.returncode, module.stdout) == (0, script.stdout)
    assert script.stdout.startswith("tilefoundry ")


def test_the_installed_command_runs_a_program(python, root):
    done = run(
        python.parent / "tilefoundry",
        *("run", root / "examples" / "rmsnorm.py", "--inputs", "random", "--verify", "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["passed"] is True


def test_an_exit_code_passes_through(python, tmp_path):
    assert run(python, "-m", "tilefoundry", "check", tmp_path / "none.py").returncode == 1
    assert run(python, "-m", "tilefoundry", "frob").returncode == 2


def test_the_package_from_numpy(python, root):
    """The tests of package_programs.py, run by the environment that holds the package."""
    done = run(
        python,
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", PROGRAMS, "--rootdir", HERE),
        *("--confcutdir", HERE),
        env={**os.environ, "TILEFOUNDRY_EXAMPLES": str(root / "examples")},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout
