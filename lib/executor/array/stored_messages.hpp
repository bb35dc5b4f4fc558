// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Messages as values of a store, such as a bucket.

#include "tessera/store/key_value_store.hpp"

#include "executor/api/message_folder.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace tessera::job_arrays {

/// The periods for stores, which charge for each request.
inline constexpr folder_periods periods_of_stores{
    .cancellation = std::chrono::seconds{30},
    .progress = std::chrono::seconds{60},
    .list = std::chrono::seconds{5},
};

/// Messages as values of a store. A write replaces a value whole.
class stored_messages final : public message_folder {
 public:
  /// `location` is the URL by which elements open the store.
  stored_messages(std::string location, std::shared_ptr<key_value_store> store,
                  const folder_periods& periods = periods_of_stores)
      : location_(std::move(location)), store_(std::move(store)), periods_(periods) {}

  [[nodiscard]] const std::string& location() const override { return location_; }
  [[nodiscard]] folder_periods periods() const override { return periods_; }
  /// A store has no folders without values.
  void make_folder(std::string_view /*folder*/) const override {}
  void put(std::string_view key, const std::string& text) const override;
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override;
  [[nodiscard]] std::string get_end(std::string_view key, std::size_t limit) const override;
  [[nodiscard]] bool exists(std::string_view key) const override;
  [[nodiscard]] std::vector<std::string> names_in(std::string_view folder) const override;
  void remove_folder(std::string_view folder) const override;
  [[nodiscard]] std::unique_ptr<progress_record> begin_progress(
      std::string_view key, index_t done, const std::string& host) const override;

 private:
  std::string location_;
  std::shared_ptr<key_value_store> store_;
  folder_periods periods_;
};

}  // namespace tessera::job_arrays
