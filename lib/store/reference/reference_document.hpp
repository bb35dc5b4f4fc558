// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reference documents of a process.

#include "store/reference/reference_table.hpp"
#include "store/reference/target_prefixes.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera::detail {

/// A place in a reference document: "<document>/<folder>".
struct document_location {
  /// The folder of the document, a path or URL that ends in "/", and the document's name in it.
  std::string home;
  std::string name;
  /// The folder in the document, "" for the outermost one.
  std::string folder;

  [[nodiscard]] std::string document() const { return home + name; }
};

/// Returns the place that a location names. A relative path becomes absolute.
///
/// Throws: value_error <- no name ends in ".json", or the location has a user.
[[nodiscard]] document_location parse_document_location(std::string_view location);

/// A document and the stores of its targets.
class reference_document {
 public:
  static constexpr std::size_t max_size = std::size_t{256} << 20;

  reference_document(const document_location& location, const reference_options& options);

  /// Returns the references. The document is read if it has not been, or has another size or
  /// version than before.
  ///
  /// Throws: store_error <- the document is missing or malformed, or cannot be read.
  [[nodiscard]] std::shared_ptr<const reference_table> table();

  /// Returns the store of a target's prefix. Throws: store_error <- it cannot be opened.
  [[nodiscard]] std::shared_ptr<key_value_store> store_of(const reference_target& target) const;

 private:
  [[nodiscard]] value_part head(const key_value_store& store) const;
  [[nodiscard]] std::shared_ptr<const reference_table> load(const key_value_store& store,
                                                            const value_part& head) const;

  std::string name_;
  std::string key_;
  target_prefixes prefixes_;
  std::mutex mutex_;
  /// The size and version of the document that the table has.
  value_part head_;
  std::shared_ptr<const reference_table> table_;
};

/// Returns the document of a place, which all stores of this process share that use it now.
///
/// Throws: value_error <- as `open_reference_store`.
[[nodiscard]] std::shared_ptr<reference_document> share_document(const document_location& location,
                                                                 const reference_options& options);

}  // namespace tessera::detail
