// NumPy's .npy files (format: numpy.lib.format, versions 1.0, 2.0 and 3.0).
//
// Read: <f4 <f2 <i4 <i8 |b1 |i1 |u1, and |V2 or <V2 as bf16, C order. Big-endian data, Fortran
// order, object arrays and other types are refused by name. Written: version 1.0. Failures are
// FileError: those of support/files.h, TF7301 not an .npy file, TF7302 a damaged header, TF7303
// truncated or with bytes left over, TF7304 Fortran order, TF7305 a type or byte order that is not
// supported, TF7306 too large.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tilefoundry/runtime/host_array.h"

namespace tilefoundry {

HostArray read_npy(const std::filesystem::path& path);
// As `read_npy`, from memory; `name` stands in messages.
HostArray parse_npy(std::string_view content, const std::string& name);

// Atomic: a failure leaves no file and an earlier one as it was. FileError TF7305 for an element
// type that .npy lacks.
void write_npy(const std::filesystem::path& path, const HostArray& array);
std::string npy_header(const HostArray& array);

}  // namespace tilefoundry
