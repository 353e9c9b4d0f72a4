"""Shared by the whole-program tests."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def quiet_numpy():
    """References meet nan, infinity and overflow on purpose."""
    with np.errstate(all="ignore"):
        yield
