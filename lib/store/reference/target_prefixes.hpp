// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The places that the targets of a reference document may lie in.
///
/// A document may come from anywhere, and its reader may read files that its writer must not learn
/// of. So a target lies below the document's folder or below a prefix that the user gives.

#include "tessera/store/key_value_store.hpp"
#include "tessera/store/reference.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// A file: a key of the store at a prefix.
struct reference_target {
  std::uint32_t prefix = 0;
  std::string key;
};

class target_prefixes {
 public:
  /// `folder` is the folder of the document, a path or a URL that ends in "/".
  ///
  /// Throws: value_error <- as `open_reference_store`.
  target_prefixes(std::string folder, const std::vector<std::string>& given);

  /// Returns the file that a document names.
  ///
  /// Throws: store_error <- `denied` if it lies below no prefix; its name is malformed.
  [[nodiscard]] reference_target resolve(std::string_view target) const;

  /// Returns the store at a prefix, which is opened with the first call.
  ///
  /// Throws: as `open_store`.
  [[nodiscard]] std::shared_ptr<key_value_store> store_at(std::uint32_t prefix) const;

 private:
  std::vector<std::string> prefixes_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<key_value_store>> stores_;
};

/// Returns a path or URL in the form of prefixes: "file:///a" is "/a", and a scheme is in lower
/// case. A relative path is put behind `folder`, which is "" or ends in "/".
[[nodiscard]] std::string absolute_target(std::string_view target, std::string_view folder);

/// Tells whether a location is a URL: "scheme://place".
[[nodiscard]] bool is_url(std::string_view location);

/// Tells whether a location is a URL with a user, which may be a secret.
[[nodiscard]] bool has_user(std::string_view location);

}  // namespace tessera::detail
