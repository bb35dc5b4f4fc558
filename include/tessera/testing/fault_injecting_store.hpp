// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that fails when a test asks it to.

#include "tessera/store/key_value_store.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace tessera::testing {

/// The operations of a store, as faults tell them apart.
enum class store_operation : std::uint8_t {
  read,   ///< `read`, `read_range` and `read_all`
  size,   ///< `size` and `exists`
  write,  ///< `write`
  erase,  ///< `erase` and `erase_all`
  list,   ///< `list` and `list_folder`
};

/// What a fault does.
enum class fault_effect : std::uint8_t {
  fail,       ///< store_error with the key and the text of `cause`; nothing is changed
  vanish,     ///< a read, a size or a list finds nothing
  cut_short,  ///< a read gives the first half of the value only
  tear,       ///< a read gives the first half of the value, then zeros, as after a power failure
  flip_bit,   ///< a read gives the value with the bit in its middle flipped
};

/// A fault: which operations it strikes, and what it does to them.
///
/// Operations of the kind `on` whose key contains `key_part` are counted from 1 on since the fault
/// was injected; the `first`-th is struck, and then, unless `every` is 0, each `every`-th after it.
struct store_fault {
  store_operation on = store_operation::read;
  fault_effect effect = fault_effect::fail;
  std::uint64_t first = 1;
  std::uint64_t every = 0;
  std::string key_part = {};
  /// What the system is said to have answered; `may_pass()` of the error is as it would be.
  std::errc cause = std::errc::io_error;
};

/// A store around another one that fails on purpose, for tests of programs that must survive it.
///
/// ```
/// auto store = std::make_shared<ts::testing::fault_injecting_store>(
///     std::make_shared<ts::memory_store>());
/// store->inject({.on = ts::testing::store_operation::write, .first = 3,
///                .cause = std::errc::no_space_on_device});
/// // The third write from here on throws: cannot write key "u/0.2" (memory): No space left on
/// // device
/// ```
///
/// Faults act without delay and in the order of the operations, so that a test is the same each
/// time that it runs, as long as one thread uses the store.
///
/// Thread safety: as every store.
class fault_injecting_store final : public key_value_store {
 public:
  explicit fault_injecting_store(std::shared_ptr<key_value_store> inner);
  ~fault_injecting_store() override;

  /// Adds a fault. Throws: value_error <- `first` is 0, or the operation cannot have the effect.
  void inject(const store_fault& fault);
  /// Removes every fault; counts go on.
  void clear();
  /// Returns how many operations of a kind were asked for, those that failed included.
  [[nodiscard]] std::uint64_t count(store_operation kind) const;
  /// Returns how many operations faults have struck.
  [[nodiscard]] std::uint64_t num_struck() const { return num_struck_; }

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::size_t> read_range(std::string_view key, std::size_t first,
                                                      std::span<std::byte> into) const override;
  [[nodiscard]] bool has_ranges() const override { return inner_->has_ranges(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return inner_->lock(key, intent);
  }

 private:
  struct injected {
    store_fault fault;
    std::uint64_t seen = 0;
  };

  /// Counts an operation. Throws where it is to fail, else returns what is to be done to it.
  std::optional<fault_effect> strike(store_operation kind, std::string_view key) const;

  std::shared_ptr<key_value_store> inner_;
  mutable std::mutex mutex_;
  mutable std::vector<injected> faults_;
  mutable std::array<std::atomic<std::uint64_t>, 5> counts_{};
  mutable std::atomic<std::uint64_t> num_struck_{0};
};

}  // namespace tessera::testing
