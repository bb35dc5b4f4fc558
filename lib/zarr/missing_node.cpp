// SPDX-License-Identifier: Apache-2.0
#include "zarr/missing_node.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace tessera::detail {

namespace {

namespace fs = std::filesystem;

/// Returns what is at a path that is no folder; nothing if it is one, or cannot be looked at.
std::optional<std::string> what_else_is_at(const std::string& path, std::string_view wanted) {
  std::error_code unreadable;
  switch (fs::status(path, unreadable).type()) {
    case fs::file_type::not_found:
      return "it does not exist; check the path";
    case fs::file_type::regular:
      return fmt::format(
          "it is a file, and a Zarr {0} is a folder; name the folder, unpack it where this is an "
          "archive of one, or convert it where it is of another format",
          wanted);
    case fs::file_type::block:
    case fs::file_type::character:
      return fmt::format("it is a device, and a Zarr {} is a folder; check the path", wanted);
    case fs::file_type::fifo:
    case fs::file_type::socket:
      return fmt::format("it is a pipe or a socket, and a Zarr {} is a folder; check the path",
                         wanted);
    default:
      return std::nullopt;
  }
}

std::string reason(const std::shared_ptr<key_value_store>& store, const std::string& path,
                   std::string_view wanted) {
  const auto has = [&](const char* name) { return store->exists(node_key(path, name)); };
  if (has(".zgroup")) return "it is a group; name one of its arrays";
  if (has(".zarray")) return "it is an array; open it as one";
  if (has("zarr.json")) {
    return "it is of Zarr v3 (it has a zarr.json), which is not supported; write it as Zarr v2, in "
           "Python with zarr_format=2";
  }
  if (const auto directory = directory_of(*store)) {
    const std::string place = name_of_node(*store, path);
    if (const auto found = what_else_is_at(place, wanted)) return *found;
  }
  return fmt::format("it has no .z{}; check the path", wanted);
}

}  // namespace

void throw_no_node(const std::shared_ptr<key_value_store>& store, const std::string& path,
                   std::string_view wanted) {
  throw zarr_error(fmt::format("{} is no Zarr v2 {}: {}", name_of_node(*store, path), wanted,
                               reason(store, path, wanted)));
}

}  // namespace tessera::detail
