"""NumPy arrays to the core and back."""

import numpy as np

from tilefoundry import _core, errors

_NAMES = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "int32": "i32",
    "int64": "i64",
    "bool": "bool",
    "int8": "i8",
    "uint8": "u8",
}
_NUMPY = {value: key for key, value in _NAMES.items()}


def dtype_name(array):
    """The core's name of an array's dtype."""
    name = _NAMES.get(array.dtype.name)
    if name is None or not array.dtype.isnative:
        raise errors.CallError(f"no dtype of the language is {array.dtype!r}")
    return name


def numpy_dtype(name):
    """The NumPy dtype of a core name; bf16 needs ml_dtypes."""
    if name == "bf16":
        try:
            import ml_dtypes
        except ImportError:
            raise errors.CallError(
                "bf16 arrays need the package ml_dtypes\nhint: pip install ml-dtypes"
            ) from None
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_NUMPY[name])


def borrow(array):
    """Lends an array for one call: no copy."""
    if not isinstance(array, np.ndarray):
        raise errors.CallError(f"an output must be a NumPy array, got {type(array).__name__}")
    itemsize = array.dtype.itemsize
    if any(stride % itemsize for stride in array.strides):
        raise errors.CallError(
            f"the strides {array.strides} of an array are no multiples of its element size\n"
            "hint: pass numpy.ascontiguousarray(a)"
        )
    strides = [] if array.flags.c_contiguous else [s // itemsize for s in array.strides]
    return _core.Borrowed(
        array.__array_interface__["data"][0],
        dtype_name(array),
        list(array.shape),
        strides,
        not array.flags.writeable,
    )


def pooled(shape, name):
    """An uninitialized array in memory that goes back to the pool of outputs when it dies."""
    dtype = numpy_dtype(name)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return _core.pooled_bytes(size).view(dtype).reshape(shape)


def pack(array):
    """(dtype, shape, bytes), as the interpreter takes it."""
    return dtype_name(array), list(array.shape), np.ascontiguousarray(array).tobytes()


def unpack(value):
    """A tensor, or a tuple of values, from the interpreter."""
    if isinstance(value, list):
        return tuple(unpack(field) for field in value)
    name, shape, data = value
    return np.frombuffer(data, dtype=numpy_dtype(name)).reshape(shape).copy()
