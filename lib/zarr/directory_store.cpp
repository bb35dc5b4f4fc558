// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/directory_store.hpp"

#include "tessera/store/filesystem_store.hpp"

#include "zarr/consolidated_store.hpp"

namespace tessera::detail {

std::optional<directory_store> as_directory(const std::shared_ptr<key_value_store>& store) {
  const std::shared_ptr<key_value_store> itself = underlying(store);
  const auto* files = dynamic_cast<const filesystem_store*>(itself.get());
  if (files == nullptr) return std::nullopt;
  return directory_store{files->path(), files->options().fsync,
                         files->options().refuse_outward_links};
}

std::shared_ptr<key_value_store> make_store(const directory_store& directory) {
  return std::make_shared<filesystem_store>(
      directory.path, filesystem_options{.fsync = directory.fsync,
                                         .refuse_outward_links = directory.refuse_outward_links});
}

}  // namespace tessera::detail
