// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Read-only stores of values that lie in other files: reference documents.
///
/// A reference document is the JSON of kerchunk and VirtualiZarr. It gives each key its bytes, or
/// the range of bytes of a file. So the chunks of NetCDF4, HDF5, GRIB and TIFF files are read as a
/// Zarr store without a copy of the files.
///
/// `open` and `open_store` take "reference://<document>" and "reference://<document>/<folder>". The
/// document is a path or a URL, and its name ends in ".json": "reference:///data/air.json",
/// "reference://https://host/air.json/air". Options stand behind a "?", as in
/// "reference:///data/air.json?targets=/archive/". An option's value is percent-encoded.
///
/// Source: fsspec, "Reference File System", versions 0 and 1, without templates and generated keys.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera {

/// The files that a reference document may name.
struct reference_options {
  /// Paths and URLs that end in "/", without user and query. A target lies below one of them, or
  /// below the folder of the document.
  std::vector<std::string> targets = {};

  [[nodiscard]] bool operator==(const reference_options&) const = default;
};

/// Returns the store of a reference document, or of a folder in it. Touches nothing: the document
/// is read with the first value, once for all stores of a process that use it.
///
/// Relative targets are relative to the folder of the document. Targets on HTTP servers need the
/// component `tessera::http`.
///
/// Memory: at most the size of the document, 32 B for each reference and 100 B for each target;
/// twice that while the document is read. Documents have at most 256 MiB, 2^23 references and 2^20
/// targets.
/// Throws: value_error <- `location` has no name that ends in ".json", or has a user; a prefix of
/// targets does not end in "/", or has a user or a query.
[[nodiscard]] std::shared_ptr<key_value_store> open_reference_store(
    const std::string& location, const reference_options& options = {});

}  // namespace tessera
