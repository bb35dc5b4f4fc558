// SPDX-License-Identifier: Apache-2.0
#include "store/api/memory_folder.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"

#include <fmt/format.h>
#include <map>
#include <mutex>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the store of a name, which is created on first use.
std::shared_ptr<key_value_store> named_store(const std::string& name) {
  static std::mutex mutex;
  // Never destroyed: static objects may hold arrays.
  static auto& stores = *new std::map<std::string, std::shared_ptr<key_value_store>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<key_value_store>& store = stores[name];
  if (store == nullptr) store = std::make_shared<memory_store>();
  return store;
}

}  // namespace

memory_folder::memory_folder(std::shared_ptr<key_value_store> root, std::string root_name,
                             std::string folder)
    : root_(std::move(root)), root_name_(std::move(root_name)), folder_(std::move(folder)) {}

std::string memory_folder::name() const {
  return fmt::format("{}://{}{}{}", memory_scheme, root_name_, folder_.empty() ? "" : "/", folder_);
}

std::string memory_folder::inside(std::string_view key) const {
  validate_key(key);
  return folder_.empty() ? std::string(key) : fmt::format("{}/{}", folder_, key);
}

std::string memory_folder::inside_folder(std::string_view folder) const {
  return folder.empty() ? folder_ : inside(folder);
}

std::vector<std::string> memory_folder::list(std::string_view folder) const {
  std::vector<std::string> keys = root_->list(inside_folder(folder));
  if (folder_.empty()) return keys;
  for (std::string& key : keys) key.erase(0, folder_.size() + 1);
  return keys;
}

std::shared_ptr<key_value_store> open_memory(const store_recipe& recipe) {
  try {
    validate_key(recipe.place);
  } catch (const store_error&) {
    throw value_error(
        fmt::format("the store \"memory://{:.200}\": must be names joined by \"/\", as in "
                    "\"memory://scratch/a.zarr\"",
                    recipe.place));
  }
  const std::size_t slash = recipe.place.find('/');
  const std::string name = recipe.place.substr(0, slash);
  const std::string folder =
      slash == std::string::npos ? std::string() : recipe.place.substr(slash + 1);
  return std::make_shared<memory_folder>(named_store(name), name, folder);
}

}  // namespace tessera::detail
