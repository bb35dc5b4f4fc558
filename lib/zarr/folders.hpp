// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folders in a folder, and the documents that tell whether they are nodes.

#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <string>

namespace tessera::detail {

/// Takes a view of the store that has the documents of a folder, and the name of the folder.
using folder_visitor =
    std::function<void(const key_value_store& documents, const std::string& folder)>;

/// Calls `visit` with each folder in the folder `path`, in order. A store with a queue reads the
/// documents of many folders at the same time.
void for_each_folder(const key_value_store& store, const std::string& path,
                     const folder_visitor& visit);

}  // namespace tessera::detail
