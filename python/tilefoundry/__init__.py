"""TileFoundry: a tile compiler with Python as its authoring surface."""

import os

import numpy as np

from tilefoundry import _arrays, _core, errors
from tilefoundry._core import Function, Module
from tilefoundry.errors import Error

__all__ = [
    "BoundCall",
    "Error",
    "Function",
    "Module",
    "RuntimeModule",
    "as_script",
    "compile",
    "errors",
    "evaluate",
    "parse_file",
    "parse_module",
]
__version__ = _core.__version__


def parse_module(text, *, name="<text>", selector=""):
    """Loads a program from its text and returns the Module that `selector` names."""
    return _core.parse_text(text, name, selector)


def parse_file(path, *, selector=""):
    """Loads a program from a file and returns the Module that `selector` names."""
    return _core.parse_path(os.fspath(path), selector)


def as_script(module):
    """The canonical text of a Module; it loads again as an equal Module."""
    return _core.as_script(module)


def evaluate(function, *arrays):
    """Interprets a Function, or a Module's entry, on arrays.

    Takes the parameters in order, then the weights of the Modules below. Returns an array, or a
    tuple of arrays.
    """
    if isinstance(function, Module):
        function = function.entry
    packed = [_arrays.pack(np.asarray(array)) for array in arrays]
    return _arrays.unpack(_core.evaluate(function, packed))


class RuntimeModule:
    """A built program. Call it with the inputs: the parameters, then the weights of the Modules."""

    def __init__(self, core):
        self._core = core

    @property
    def name(self):
        """The Module's name."""
        return self._core.name

    @property
    def entry(self):
        """The entry function's name."""
        return self._core.entry

    @property
    def source(self):
        """The path of the generated source."""
        return self._core.source

    def __call__(self, *arrays, out=None, threads=0):
        """Runs on C-contiguous NumPy arrays without copying them.

        `out` is an array or a sequence of arrays to fill; without it the outputs are new. One
        output comes back bare, several as a tuple.
        """
        _, lent, outputs = self._prepare(arrays, out, threads)
        _core.call(self._core, lent, [_arrays.borrow(array) for array in outputs], threads)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def bind(self, *arrays, out=None, threads=0):
        """Checks these arrays, runs once, and returns a `BoundCall` that runs on them again.

        The arrays must stay as they are; their values may change between calls.
        """
        return BoundCall(self._core, *self._prepare(arrays, out, threads), threads)

    def _prepare(self, arrays, out, threads):
        if not isinstance(threads, int) or threads < 0:
            raise errors.CallError(f"threads must be an integer from 0 on, got {threads!r}")
        inputs = [np.asarray(array) for array in arrays]
        lent = [_arrays.borrow(array) for array in inputs]
        if out is None:
            specs = _core.output_specs(self._core, lent)
            outputs = [_arrays.pooled(shape, name) for name, shape in specs]
        else:
            outputs = [out] if isinstance(out, np.ndarray) else list(out)
        return inputs, lent, outputs


class BoundCall:
    """A program with its inputs and outputs: `call()` runs it without checking them again."""

    def __init__(self, core, inputs, lent, outputs, threads):
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        borrowed = [_arrays.borrow(array) for array in outputs]
        self._run = _core.BoundCall(core, lent, borrowed, threads)

    def __call__(self):
        """Runs and returns the outputs: the same arrays each time, filled anew."""
        self._run()
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs


def compile(module):  # noqa: A001
    """Lowers, builds and loads a Module."""
    return RuntimeModule(_core.compile(module))
