// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that fails when a test asks it to.

#include "tessera/store/key_value_store.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace tessera::testing {

class delay_timer;

/// The operations of a store, as faults tell them apart.
enum class store_operation : std::uint8_t {
  read,   ///< `read`, `read_part`, `read_all`, and each read of a queue
  size,   ///< `size` and `exists`
  write,  ///< `write`, `write_if`, each write of a queue, and the end of a writer
  erase,  ///< `erase`, `erase_all`, and each key of `erase_many`
  list,   ///< `list`, `list_folder` and `list_pages`
};

/// The effect of a fault on an operation.
enum class fault_effect : std::uint8_t {
  fail,       ///< store_error with the key and the text of `cause`; nothing is changed
  vanish,     ///< a read, a size or a list finds nothing
  cut_short,  ///< a read gives the first half of the value only
  tear,       ///< a read gives the first half of the value, then zeros, as after a power failure
  flip_bit,   ///< a read gives the value with the bit in its middle flipped
  delay,      ///< the operation takes longer by `store_fault::delay`; other faults act as well
};

/// The clock of delays.
enum class delay_clock : std::uint8_t {
  real,           ///< an operation sleeps
  virtual_clock,  ///< an operation advances `fault_injecting_store::virtual_time` and returns
};

/// A fault: the operations that it strikes, and its effect on them.
///
/// Operations of the kind `on` whose key contains `key_part` are counted from 1 on since the fault
/// was injected; the `first`-th is struck, and then, unless `every` is 0, each `every`-th after it.
struct store_fault {
  store_operation on = store_operation::read;
  fault_effect effect = fault_effect::fail;
  std::uint64_t first = 1;
  std::uint64_t every = 0;
  std::string key_part = {};
  /// The answer of the system in the error; `may_pass()` of the error follows from it.
  std::errc cause = std::errc::io_error;
  /// The time that a delayed operation takes in addition.
  std::chrono::duration<double> delay{};
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
/// Faults act in the order of the operations, so that a test is the same each time that it runs, as
/// long as one thread uses the store. An operation of a queue counts when it is submitted.
///
/// A queue of the store has a thread of its own, which carries out each request when its delay is
/// over. The delays of requests in flight overlap. On the virtual clock `wait` advances the time to
/// the end of its request, so that four reads of 30 ms in one queue take 30 ms, and by calls 120
/// ms.
///
/// Thread safety: as every store.
class fault_injecting_store final : public key_value_store {
 public:
  explicit fault_injecting_store(std::shared_ptr<key_value_store> inner,
                                 delay_clock clock = delay_clock::real);
  ~fault_injecting_store() override;

  /// Adds a fault. Throws: value_error <- `first` is 0, the operation cannot have the effect, or a
  ///         delay is not positive.
  void inject(const store_fault& fault);
  /// Removes every fault; counts go on.
  void clear();
  /// Returns how many operations of a kind were asked for, those that failed included.
  [[nodiscard]] std::uint64_t count(store_operation kind) const;
  /// Returns how many operations faults have struck.
  [[nodiscard]] std::uint64_t num_struck() const { return num_struck_; }

  /// Returns the time of the virtual clock; 0 on the real one.
  [[nodiscard]] std::chrono::duration<double> virtual_time() const;
  /// Replaces the result of `traits()`, which is that of the inner store at first. It is called
  /// before the store is used.
  void set_traits(const store_traits& traits) { traits_ = traits; }

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] store_traits traits() const override { return traits_; }
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
  void erase(std::string_view key) override;
  void erase_many(std::span<const std::string> keys) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  void list_pages(std::string_view folder, const page_visitor& visit) const override;
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return inner_->lock(key, intent);
  }
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override {
    return inner_->claim(key, text, admit);
  }

 private:
  class struck_reads;
  class struck_writes;
  class struck_writer;

  struct injected {
    store_fault fault;
    std::uint64_t num_requests = 0;
  };

  /// The effects of all faults on one operation.
  struct strike {
    std::optional<fault_effect> effect = {};
    std::exception_ptr failure = nullptr;
    std::chrono::duration<double> delay{};
  };

  /// Counts an operation, and returns the effects on it.
  [[nodiscard]] strike count_operation(store_operation kind, std::string_view key) const;
  /// Counts an operation, and lets its delay pass. Throws if it is to fail, else returns the
  /// effect.
  std::optional<fault_effect> strike_operation(store_operation kind, std::string_view key) const;
  [[nodiscard]] std::optional<value_part> read_struck(std::string_view key, const byte_range& range,
                                                      std::span<std::byte> into,
                                                      std::optional<fault_effect> effect) const;

  std::shared_ptr<key_value_store> inner_;
  std::shared_ptr<delay_timer> timer_;
  store_traits traits_;
  mutable std::mutex mutex_;
  mutable std::vector<injected> faults_;
  mutable std::array<std::atomic<std::uint64_t>, 5> counts_{};
  mutable std::atomic<std::uint64_t> num_struck_{0};
};

}  // namespace tessera::testing
