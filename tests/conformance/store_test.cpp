// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include "conformance/store_conformance.hpp"
#include "conformance/store_values.hpp"
#include "core/api/base64.hpp"
#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

/// A store in a directory that goes when the store does.
std::shared_ptr<key_value_store> in_new_directory(const filesystem_options& options = {}) {
  auto directory = std::make_shared<temporary_directory>();
  auto store = std::make_shared<filesystem_store>(*directory / "made by the store", options);
  return {store.get(), [store, directory](key_value_store*) {}};
}

std::shared_ptr<key_value_store> without_faults() {
  return std::make_shared<fault_injecting_store>(std::make_shared<memory_store>());
}

std::shared_ptr<key_value_store> with_delays(delay_clock clock) {
  auto store = std::make_shared<fault_injecting_store>(std::make_shared<memory_store>(), clock);
  store->inject({.effect = fault_effect::delay, .every = 1, .delay = std::chrono::milliseconds(1)});
  return store;
}

/// A store that has the functions without a default alone.
class smallest_store final : public key_value_store {
 public:
  [[nodiscard]] std::string name() const override { return inner_.name(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return inner_.read(key, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return inner_.read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return inner_.size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return inner_.list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_.list_folder(folder);
  }

 private:
  memory_store inner_;
};

TEST(StoreDefaults, PromiseNothing) {
  const smallest_store store;
  const store_traits traits = store.traits();
  EXPECT_FALSE(traits.has_ranges);
  EXPECT_FALSE(traits.has_creation);
  EXPECT_FALSE(traits.has_conditions);
  EXPECT_TRUE(traits.has_lists);
  EXPECT_TRUE(traits.is_writable);
  EXPECT_EQ(traits.latency.count(), 0);
  EXPECT_EQ(traits.bandwidth, bytes{});
  EXPECT_EQ(traits.num_requests, 1U);
  EXPECT_EQ(traits.kept, bytes{});
  EXPECT_EQ(traits.kept_per_request, bytes{});
  EXPECT_EQ(store.recipe(), std::nullopt);
  EXPECT_EQ(store.reads(), nullptr);
  EXPECT_EQ(smallest_store().writes(), nullptr);
  EXPECT_EQ(smallest_store().writer("k"), nullptr);
}

/// A folder of a store in memory that has a new name.
std::shared_ptr<key_value_store> in_memory_folder() {
  static std::atomic<int> num_names{0};
  return open_store("memory://conformance-" + std::to_string(++num_names) + "/a");
}

/// A store that is written in memory and read through references: small values are in the document,
/// large ones in a file that has all of them one behind the other.
class referring_store final : public key_value_store {
 public:
  [[nodiscard]] std::string name() const override { return folder_->name(); }
  [[nodiscard]] store_traits traits() const override { return {.has_ranges = true}; }
  [[nodiscard]] std::string state(std::string_view folder) const override {
    return references()->state(folder);
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return references()->read(key, into);
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    return references()->read_part(key, range, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return references()->read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return references()->size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    values_.write(key, value);
    is_written_ = false;
  }
  void erase(std::string_view key) override {
    values_.erase(key);
    is_written_ = false;
  }
  void erase_all(std::string_view folder) override {
    values_.erase_all(folder);
    is_written_ = false;
  }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return references()->list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return references()->list_folder(folder);
  }

 private:
  /// Writes the document and the file anew if a value has changed.
  [[nodiscard]] std::shared_ptr<key_value_store> references() const {
    const std::lock_guard lock(mutex_);
    if (is_written_.exchange(true) && references_ != nullptr) return references_;
    const std::string name = std::to_string(++num_documents_);
    value_t file(7, std::byte{0xFE});
    std::string document = "{";
    for (const std::string& key : values_.list("")) {
      const value_t value = values_.read_all(key, no_limit).value_or(value_t());
      document += (document.size() > 1 ? ",\"" : "\"") + key + "\":";
      if (value.size() < 100) {
        document += "\"base64:" + detail::to_base64(value) + "\"";
      } else {
        document += "[\"" + name + ".data\"," + std::to_string(file.size()) + "," +
                    std::to_string(value.size()) + "]";
        file.insert(file.end(), value.begin(), value.end());
      }
    }
    document += "}";
    folder_->write(name + ".data", file);
    folder_->write(name + ".json", std::as_bytes(std::span(document)));
    references_ = open_store("reference://" + folder_->name() + "/" + name + ".json");
    return references_;
  }

  memory_store values_;
  std::shared_ptr<key_value_store> folder_ = in_memory_folder();
  mutable std::mutex mutex_;
  mutable std::shared_ptr<key_value_store> references_;
  mutable std::atomic<bool> is_written_{false};
  mutable int num_documents_ = 0;
};

constexpr auto add = &register_store_conformance;

// clang-format off
const bool memory = add("memory", [] { return std::make_shared<memory_store>(); });
const bool folder = add("memory_folder", [] { return in_memory_folder(); });
const bool filesystem = add("filesystem", [] { return in_new_directory(); });
const bool synced = add("synced_filesystem", [] { return in_new_directory({.fsync = true}); });
const bool strict = add("strict_filesystem",
                        [] { return in_new_directory({.refuse_outward_links = true}); });
const bool smallest = add("defaults", [] { return std::make_shared<smallest_store>(); });
const bool faultless = add("fault_injecting", [] { return without_faults(); });
const bool delayed = add("delayed", [] { return with_delays(delay_clock::real); });
const bool simulated = add("delayed_virtually",
                           [] { return with_delays(delay_clock::virtual_clock); });
const bool referring = add("reference", [] { return std::make_shared<referring_store>(); });
// clang-format on

}  // namespace
}  // namespace tessera::testing
