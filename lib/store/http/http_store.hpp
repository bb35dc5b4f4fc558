// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The store of the values below a URL.

#include "tessera/store/http.hpp"

#include "store/http/request.hpp"
#include "store/http/url.hpp"

namespace tessera::http {

class http_store final : public key_value_store {
 public:
  http_store(url_parts url, http_options options);

  [[nodiscard]] std::string name() const override { return url_.public_text(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override;
  [[nodiscard]] store_traits traits() const override;
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
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

  /// Returns the request of a part, not begun.
  [[nodiscard]] std::shared_ptr<request> part_request(const read_request& asked) const;
  /// Returns the part of a request that has ended, or nullopt if the key is missing. Throws:
  /// store_error <- as `read_part`.
  [[nodiscard]] std::optional<value_part> result_of(const request& ended, std::string_view key,
                                                    const byte_range& range) const;

 private:
  [[nodiscard]] std::shared_ptr<request> new_request(std::string_view key) const;
  [[nodiscard]] std::string location_of(std::string_view key) const;
  [[noreturn]] void refuse_write(std::string_view key) const;
  [[noreturn]] void refuse_list(std::string_view folder) const;

  url_parts url_;
  http_options options_;
  std::shared_ptr<const server_access> access_;
};

}  // namespace tessera::http
