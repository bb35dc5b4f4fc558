// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Creates the files of an array in a store, and removes the files of the array that it replaces.

#include "tessera/zarr/zarr_array.hpp"

#include "zarr/api/hierarchy.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

class document_reader;
struct zarr_array_state;

/// As `require_room` (zarr/api/node_location.hpp) as far as `documents` tells, a view of the store
/// of the array.
void require_room_in(const key_value_store& documents, const std::string& path,
                     const node_format& format);

/// Throws zarr_error if the store lies in a folder of an array.
void refuse_array_around(const std::shared_ptr<key_value_store>& store, const std::string& path);

/// As `make_room` (zarr/api/hierarchy.hpp), by `documents`, a view of the store.
void make_room(key_value_store& store, const key_value_store& documents, std::string_view path,
               const node_format& format);

/// As `change_metadata` (zarr/api/hierarchy.hpp). Groups above are consolidated by `known`, a view
/// of the store, unless it is nullptr; after the change, by the store itself.
void change_metadata(key_value_store& store, const key_value_store* known, std::string_view path,
                     old_node old, const std::function<void()>& change);

/// Tells whether a new array with `metadata` replaces an array at `path`.
///
/// Throws: zarr_error <- `policy` keeps the old array, or a file that stays is in the way of a
/// chunk of the new one (zarr/api/array_files.hpp).
bool require_replaceable(key_value_store& store, const std::string& path,
                         const zarr_metadata& metadata, existing policy);

/// Tells whether requests take long, so that several at once pay, and whether a list tells names.
[[nodiscard]] bool is_far(const key_value_store& store);

/// Returns the documents at and above `path`, and the names in the folder, read at once.
[[nodiscard]] std::unique_ptr<document_reader> far_documents(const key_value_store& store,
                                                             const std::string& path);

/// Creates an array at `path`, as `zarr_array::create` does, for a writer that has claimed it.
/// `checked` holds the documents of a check a moment ago, or is nullptr.
[[nodiscard]] std::shared_ptr<const zarr_array_state> create_array(
    const std::shared_ptr<key_value_store>& store, const std::string& path,
    const zarr_metadata& metadata, const attributes& values, existing policy,
    document_reader* checked = nullptr);

}  // namespace tessera::detail
