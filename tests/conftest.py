"""Shared by all Python tests: the command under test, and a cache folder of their own."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory):
    """Builds of the tests are cached for this run only, never in the user's folder."""
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def command():
    """The path of the tilefoundry command; TILEFOUNDRY_BIN names another than the release build."""
    path = os.environ.get("TILEFOUNDRY_BIN", str(ROOT / "build" / "release" / "tilefoundry"))
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} is missing: build the release preset, or set TILEFOUNDRY_BIN")
    return path
