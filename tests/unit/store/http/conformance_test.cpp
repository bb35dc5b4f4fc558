// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/http.hpp"
#include "tessera/store/memory_store.hpp"

#include "conformance/store_conformance.hpp"
#include "conformance/store_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

/// Returns the version of an ETag: a memory store's version stands in its quotes.
value_version unquoted(const value_version& etag) {
  const std::string_view text = etag.text();
  return text.size() < 2 ? value_version() : value_version(text.substr(1, text.size() - 2));
}

/// A store that is written in memory and read through a server.
class served_store final : public key_value_store {
 public:
  served_store()
      : server_([this](const received_request& request) { return answer(request); }),
        client_(open_http_store(server_.url() + "/a folder/x")) {}

  [[nodiscard]] std::string name() const override { return client_->name(); }
  [[nodiscard]] store_traits traits() const override {
    return {.has_ranges = true, .has_creation = true, .has_conditions = true};
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return client_->read(key, into);
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    return client_->read_part(key, range, into);
  }
  [[nodiscard]] std::unique_ptr<read_queue> reads() const override { return client_->reads(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return client_->read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return client_->size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    values_.write(key, value);
  }
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override {
    return values_.write_if(key, value, unquoted(expected));
  }
  void erase(std::string_view key) override { values_.erase(key); }
  void erase_all(std::string_view folder) override { values_.erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return values_.list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return values_.list_folder(folder);
  }

 private:
  [[nodiscard]] reply answer(const received_request& request) const {
    const std::string folder = "/a folder/x/";
    if (!request.decoded_target.starts_with(folder)) return {.status = 500};
    const std::string key = request.decoded_target.substr(folder.size());
    std::vector<std::byte> value(values_.size(key).value_or(0));
    const auto part = values_.read_part(key, {}, value);
    if (!part) return {.status = 404};
    return answer_with(request,
                       std::string(reinterpret_cast<const char*>(value.data()), part->size),
                       "\"" + std::string(part->version.text()) + "\"");
  }

  memory_store values_;
  test_server server_;
  std::shared_ptr<key_value_store> client_;
};

const bool is_registered =
    register_store_conformance("http", [] { return std::make_shared<served_store>(); });

}  // namespace
}  // namespace tessera::testing
