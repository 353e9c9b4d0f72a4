/* The call ABI of a compiled library, for C and C++ callers.
 *
 * A library exports `const char* tf_abi(void)` and one entry `int32_t tf_<entry>(const TfCall*)`.
 * The entry reads its inputs, writes its outputs and returns a status; it never ends the process
 * and lets no exception out. A caller passes tensors that are C contiguous, on the CPU, with the
 * dtypes and extents that `tf_abi` describes; only the loader of TileFoundry checks them all.
 *
 * tf_abi returns JSON that lives as long as the library:
 *
 *   {"schema": "tilefoundry.abi", "schema_version": 1,
 *    "entry": "f", "symbol": "tf_f",
 *    "inputs":  [{"name": "x", "dtype": "f32", "shape": [4, "S"], "storage": "gmem",
 *                 "constant": false}],
 *    "outputs": [{"name": "out0", "dtype": "f32",
 *                 "shape": [{"text": "S * 2", "expr": ["mul", "S", 2]}], "storage": "gmem"}],
 *    "dims": {"S": {"lo": 1, "hi": 8}},
 *    "cpu_features": ["avx2", "fma"]}
 *
 * A shape entry is an integer, the name of a dimension, or an object with the expression as text of
 * the language and as a tree: an integer, a name, or [op, a, b] with op one of add, sub, mul,
 * floordiv, mod, min, max (division and remainder with Python's signs). A range is half open: lo <=
 * extent < hi. "constant" marks a weight that a caller passes unchanged from call to call. A
 * scalar has shape []. "storage" and "constant" may be left out ("gmem", false); "cpu_features"
 * lists what the code needs of the CPU, [] when left out. Unknown keys are to be ignored.
 *
 * The tensor structs are those of DLPack (https://dmlc.github.io/dlpack/latest/c_api.html), with
 * the same names and layout; include dlpack.h before this file where both are wanted.
 */
#ifndef TILEFOUNDRY_RUNTIME_ABI_H_
#define TILEFOUNDRY_RUNTIME_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DLPACK_DLPACK_H_

enum {
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17
};

typedef struct {
  int32_t device_type;
  int32_t device_id;
} DLDevice;

typedef struct {
  uint8_t code; /* one of the TF_DL_* codes below */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides; /* in elements; NULL means C contiguous */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags; /* TF_DL_READ_ONLY | ... */
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif /* DLPACK_DLPACK_H_ */

/* DLDataType.code, the values of current DLPack. */
enum {
  TF_DL_INT = 0,
  TF_DL_UINT = 1,
  TF_DL_FLOAT = 2,
  TF_DL_BFLOAT = 4,
  TF_DL_COMPLEX = 5,
  TF_DL_BOOL = 6,
  TF_DL_FLOAT8_E4M3FN = 10,
  TF_DL_FLOAT8_E5M2 = 12,
  TF_DL_FLOAT8_E8M0FNU = 14,
  TF_DL_FLOAT4_E2M1FN = 17
};

/* DLManagedTensorVersioned.flags. */
enum { TF_DL_READ_ONLY = 1, TF_DL_IS_COPIED = 2, TF_DL_SUBBYTE_PADDED = 4 };

/* What an entry returns. */
enum {
  TF_OK = 0,
  TF_BAD_CALL = 1,      /* struct_size, a count or a pointer does not fit */
  TF_OUT_OF_RANGE = 2,  /* an extent or an index outside its range */
  TF_OUT_OF_MEMORY = 3, /* a temporary could not be allocated */
  TF_ABORTED = 4,       /* the program's own T.Abort, with its message */
  TF_DEVICE_ERROR = 5,  /* an accelerator's runtime failed */
  TF_INTERNAL_ERROR = 6 /* a defect of the generated code */
};

/* Runs a piece [begin, end) of a region. `worker` is in [0, n_threads) and no two pieces that run
 * at one time have the same. */
typedef void (*TfParallelBody)(void* context, int64_t begin, int64_t end, int32_t worker);

/* Cuts [0, extent) into pieces whose begin is a multiple of `grain` (>= 1) and whose length is a
 * multiple of it too, the last piece excepted, and runs `body` on each, once; returns when all are
 * done. A call from inside a body runs serially, with that body's worker. */
typedef void (*TfParallelFor)(void* pool, TfParallelBody body, void* context, int64_t extent,
                              int64_t grain);

/* One call. Fields may be added at the end: an entry reads only what struct_size covers. */
typedef struct TfCall {
  uint64_t struct_size; /* sizeof(TfCall) of the caller */
  int64_t n_inputs;
  const DLTensor* const* inputs;
  int64_t n_outputs;
  const DLTensor* const* outputs; /* allocated by the caller; overlap no other tensor of the call */
  char* error;                    /* receives a NUL-terminated message on failure; may be NULL */
  uint64_t error_size;            /* bytes at `error` */
  TfParallelFor parallel_for;     /* NULL: run serially */
  void* pool;                     /* passed to parallel_for */
  int64_t n_threads;              /* most workers that parallel_for uses; 1 when it is NULL */
} TfCall;

typedef int32_t (*TfEntry)(const TfCall* call);
typedef const char* (*TfAbi)(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TILEFOUNDRY_RUNTIME_ABI_H_ */
