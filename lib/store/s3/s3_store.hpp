// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The store of the values in a folder of a bucket.

#include "tessera/store/s3.hpp"

#include "store/api/dated_values.hpp"
#include "store/api/folder_sizes.hpp"
#include "store/api/partial_state.hpp"
#include "store/api/prepares_claims.hpp"
#include "store/api/writer_memory.hpp"
#include "store/s3/bucket.hpp"
#include "store/s3/documents.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::s3 {

/// The form of ETags in conditions that a server honours: radosgw 16 wants them without quotes.
enum class condition_form : std::uint8_t { none, quoted, unquoted };

/// A short value, and the time since it was written, by the server's clock.
struct dated_value {
  std::string text;
  value_version version;
  std::chrono::seconds age{};
};

/// A store is held by a `shared_ptr`: claims keep it.
class s3_store final : public key_value_store,
                       public detail::lists_of_sizes,
                       public detail::partial_states,
                       public detail::dated_values,
                       public detail::sends_pieces,
                       public detail::prepares_claims,
                       public std::enable_shared_from_this<s3_store> {
 public:
  s3_store(bucket_location location, s3_options options, std::string region);

  [[nodiscard]] std::string name() const override { return bucket_.name(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override;
  [[nodiscard]] store_traits traits() const override;
  /// A hash of the keys, sizes and ETags of a list. Beyond 10^5 keys, of the documents of
  /// the folder alone.
  [[nodiscard]] std::string state(std::string_view folder) const override;
  [[nodiscard]] std::string state_of(std::string_view folder,
                                     const detail::counted_key& counts) const override;
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;
  [[nodiscard]] std::unique_ptr<read_queue> reads() const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override;
  [[nodiscard]] std::unique_ptr<write_queue> writes() override;
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  [[nodiscard]] std::size_t writer_memory() const override;
  void erase(std::string_view key) override;
  void erase_many(std::span<const std::string> keys) override;
  /// The documents of the folder go first.
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  void list_pages(std::string_view folder, const page_visitor& visit) const override;
  /// There are no locks that other processes see: a null pointer.
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override;
  /// Claims are seen by all processes. On a server without conditional writes they are seen by the
  /// threads that use this object.
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override;

  void for_each_size(std::string_view folder, const detail::size_visitor& visit) const override;
  /// Returns a value of at most 64 KiB and its age; nullopt if it is missing.
  [[nodiscard]] std::optional<dated_value> read_dated(std::string_view key) const;
  [[nodiscard]] std::optional<std::chrono::seconds> age_of(std::string_view key) const override;
  /// Begins to erase a key.
  [[nodiscard]] std::unique_ptr<class pending_erasure> begin_erase(std::string_view key);
  /// Asks the server for the conditions that claims need.
  void prepare_claims() override;
  /// Returns the names in a folder of claims, which `list_folder` hides.
  [[nodiscard]] std::vector<std::string> names_of_claims(std::string_view folder) const;

  /// Begins the read of a part.
  [[nodiscard]] std::unique_ptr<class value_read> begin_read(const read_request& request) const;
  /// Waits for a read. Throws: store_error <- as `read_part`.
  [[nodiscard]] std::optional<value_part> finish_read(class value_read& read,
                                                      std::string_view key) const;

 private:
  [[nodiscard]] std::string location_of(std::string_view key) const;
  /// Tells whether a key to which access is denied counts as missing.
  [[nodiscard]] bool is_missing_by_denial(std::string_view key) const;
  [[nodiscard]] list_page page_of(std::string_view folder, const std::string& token,
                                  bool is_flat) const;
  void for_each_page(std::string_view folder, bool is_flat,
                     const std::function<bool(const list_page&)>& visit) const;
  [[nodiscard]] std::optional<std::string> key_of(std::string_view full_key) const;
  void erase_batch(std::span<const std::string> full_keys);
  template <class Call>
  [[nodiscard]] condition_form find_condition_form(const std::string& key, Call beside);
  void remove_old_tests() noexcept;
  [[nodiscard]] condition_form form_of_conditions();

  s3_options options_;
  /// Requests change the region, the clock and the keys of access that it knows.
  mutable bucket bucket_;
};

}  // namespace tessera::s3
