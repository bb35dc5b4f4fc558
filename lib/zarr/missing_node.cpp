// SPDX-License-Identifier: Apache-2.0
#include "zarr/missing_node.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>

namespace tessera::detail {

namespace {

namespace fs = std::filesystem;

/// Returns the message about a path that is no folder, or nullopt if it is a folder or unreadable.
std::optional<std::string> describe_other_file(const std::string& path, std::string_view wanted) {
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
  if (has_group_node(*store, path)) return "it is a group; name one of its arrays";
  if (has_array_node(*store, path)) return "it is an array; open it as one";
  if (const auto directory = directory_of(*store)) {
    const std::string location = name_of_node(*store, path);
    if (const auto message = describe_other_file(location, wanted)) return *message;
  }
  const node_kind kind = wanted == "array" ? node_kind::array : node_kind::group;
  return fmt::format("it has neither {}; check the path", names_of_documents(kind, "nor"));
}

}  // namespace

void throw_no_node(const std::shared_ptr<key_value_store>& store, const std::string& path,
                   std::string_view wanted) {
  throw zarr_error(fmt::format("{} is no Zarr {}: {}", name_of_node(*store, path), wanted,
                               reason(store, path, wanted)));
}

}  // namespace tessera::detail
