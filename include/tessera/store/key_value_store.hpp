// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of storage: keys and values.

#include "tessera/core/bytes.hpp"
#include "tessera/store/stored_value.hpp"
#include "tessera/store/transfers.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The recipe by which another process of the same program finds a store.
struct store_recipe {
  /// The name under which `register_store` knows how.
  std::string scheme;
  /// The text behind "<scheme>://": names joined by "/", the last of which is the folder that the
  /// store's keys are in.
  std::string place;
  /// Options of the store in its own notation; "" for one that is opened by its location alone.
  std::string options = {};

  [[nodiscard]] bool operator==(const store_recipe&) const = default;
};

/// The lock of a key of a store, which its holder has until this object goes.
class store_lock {
 public:
  store_lock() = default;
  store_lock(const store_lock&) = delete;
  store_lock& operator=(const store_lock&) = delete;
  virtual ~store_lock() = default;

  /// Returns the intents that earlier holders announced and did not finish, the oldest first.
  [[nodiscard]] virtual const std::vector<std::string>& unfinished() const = 0;

  /// Tells that the announced intent is finished, and so are the unfinished ones of earlier
  /// holders.
  virtual void finish() = 0;
};

/// A text among the claims of a key of a store, until this object goes or its process ends.
class store_claim {
 public:
  store_claim() = default;
  store_claim(const store_claim&) = delete;
  store_claim& operator=(const store_claim&) = delete;
  virtual ~store_claim() = default;

  /// Tells whether others still see the text: it is gone if the key's folder has been removed.
  [[nodiscard]] virtual bool is_held() const = 0;
};

/// Decides on a claim, given the texts of the other claims; throws to refuse it.
using claim_judge = std::function<void(const std::vector<std::string>& others)>;

/// Takes a page of keys; returns whether it wants the next one.
using page_visitor = std::function<bool(std::span<const std::string> keys)>;

/// The abilities and costs of a store.
struct store_traits {
  /// Whether `read_part` reads no more than its range. Without ranges plans read values whole.
  bool has_ranges = false;
  /// Whether `write_if` creates a missing key.
  bool has_creation = false;
  /// Whether `write_if` replaces a value of a known version, which `read_part` returns.
  bool has_conditions = false;
  /// Whether `list`, `list_folder` and `list_pages` work.
  bool has_lists = true;
  bool is_writable = true;
  /// The time until the first byte of a value arrives; 0: `spec::costs` has it.
  std::chrono::duration<double> latency{};
  /// The bytes per second of one request; 0: `spec::costs` has it.
  bytes bandwidth{};
  /// The number of requests of a process that are worth having in flight.
  std::size_t num_requests = 1;
  /// The memory that the client keeps in a process, and for each request in flight.
  bytes kept{};
  bytes kept_per_request{};
};

/// A map from keys to values, both of bytes.
///
/// Thread safety: every function may be called from any number of threads, and for a store that
/// lasts from any number of processes, at once. A reader sees a value whole as it was before a
/// write or whole as it is after it, never a mixture; so does whoever reads after a writer died.
///
/// Keys are names joined by "/": "a/b/0.0". No name is empty, "." or ".." or holds a NUL or a
/// backslash. A *folder* is a key's leading names ("a/b"), "" the outermost one.
///
/// Every function throws store_error, with the key and the cause, when a key is malformed or the
/// store fails; the stored values are unchanged then.
class key_value_store {
 public:
  key_value_store();
  key_value_store(const key_value_store&) = delete;
  key_value_store& operator=(const key_value_store&) = delete;
  virtual ~key_value_store();

  /// Returns the name of the store for people: "/data/era5.zarr", "memory".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Returns how another process finds the store; nullopt, as by this default, if none can.
  [[nodiscard]] virtual std::optional<store_recipe> recipe() const { return std::nullopt; }

  /// Returns the abilities and costs of the store; this default is `{}`. The result stays the same
  /// for the lifetime of the object.
  [[nodiscard]] virtual store_traits traits() const { return {}; }

  /// Returns a text that identifies the present values in `folder` and below it. It changes when
  /// one of them is written, added or removed. Names that begin with "." do not count.
  ///
  /// This default reads each value, one at a time. A store that knows when, or as which version, a
  /// value was written overrides it.
  [[nodiscard]] virtual std::string state(std::string_view folder) const;

  /// Reads the value of `key` into the front of `into`; returns its size, nothing if missing.
  ///
  /// Throws: store_error <- the value is larger than `into`, or something that can have no value
  ///         has the name, such as a folder of a file system; nothing has been read then.
  [[nodiscard]] virtual std::optional<std::size_t> read(std::string_view key,
                                                        std::span<std::byte> into) const = 0;

  /// Reads a range of the value of `key` into the front of `into`, as far as it fits. Returns the
  /// part that was read, or nullopt if the key is missing. The rest of `into` is unchanged. A range
  /// behind the end of the value is empty.
  ///
  /// This default reads the value whole, into memory of its own; the version is unknown.
  /// Throws: store_error <- as `read`, whatever the size.
  [[nodiscard]] virtual std::optional<value_part> read_part(std::string_view key,
                                                            const byte_range& range,
                                                            std::span<std::byte> into) const;

  /// Returns a queue for reads of the calling thread, or nullptr, as by this default, if the store
  /// reads by calls alone.
  [[nodiscard]] virtual std::unique_ptr<read_queue> reads() const;

  /// Returns the value of `key`, nothing if missing.
  ///
  /// Throws: store_error <- as `read`, for a value that is larger than `limit`.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                                       std::size_t limit) const = 0;

  /// Returns the size of the value of `key`, nothing if missing.
  [[nodiscard]] virtual std::optional<std::size_t> size(std::string_view key) const = 0;

  /// Makes `value` the value of `key`, atomically.
  virtual void write(std::string_view key, std::span<const std::byte> value) = 0;

  /// Makes `value` the value of `key` if the version of the present value is `expected`,
  /// atomically. An unknown version stands for a missing key. Returns false, and changes nothing,
  /// if the key has another value.
  ///
  /// `traits` tells whether the store has this function; this default throws.
  /// Throws: store_error <- `unsupported` if the store has no such condition.
  [[nodiscard]] virtual bool write_if(std::string_view key, std::span<const std::byte> value,
                                      const value_version& expected);

  /// Returns a queue for writes of the calling thread, or nullptr, as by this default, if the store
  /// writes by calls alone.
  [[nodiscard]] virtual std::unique_ptr<write_queue> writes();

  /// Returns a writer of the value of `key`, or nullptr, as by this default, if the store writes
  /// values whole.
  [[nodiscard]] virtual std::unique_ptr<value_writer> writer(std::string_view key);

  /// Removes `key`; does nothing if it is missing.
  virtual void erase(std::string_view key) = 0;

  /// Removes all of `keys`, in any order; missing ones are ignored. This default erases them one by
  /// one.
  ///
  /// Throws: store_error <- as `erase`; some of the keys may have been removed.
  virtual void erase_many(std::span<const std::string> keys);

  /// Removes every key in `folder` and below it.
  virtual void erase_all(std::string_view folder) = 0;

  /// Returns every key in `folder` and below it, sorted.
  [[nodiscard]] virtual std::vector<std::string> list(std::string_view folder) const = 0;

  /// Returns the names directly in `folder`, sorted; those of folders end in "/".
  [[nodiscard]] virtual std::vector<std::string> list_folder(std::string_view folder) const = 0;

  /// Calls `visit` with the keys in `folder` and below it, a page at a time, sorted; no page is
  /// empty. Ends early if `visit` returns false. This default has one page, the result of `list`.
  virtual void list_pages(std::string_view folder, const page_visitor& visit) const;

  /// Waits until no other holder has the lock of `key`, and returns it; a null pointer if locks
  /// cannot be had, as on a file system without locks. The key need not have a value, and may be
  /// read and written without its lock.
  ///
  /// `intent`, the announced work of the holder, is left to the next one unless `finish()` is
  /// called. That happens if the holder fails, or if its process dies, with which the lock ends.
  ///
  /// Locks by this default are taken in turn by the threads that use this object. A store that
  /// other objects or processes see as well overrides it.
  [[nodiscard]] virtual std::unique_ptr<store_lock> lock(std::string_view key,
                                                         std::string_view intent);

  /// Calls `admit` with the claims that other holders have on `key` now, and adds `text` to them if
  /// it returns. Calls for one key take turns, `admit` included. A store may create a file for the
  /// claims of a key, which has no value and which no list shows.
  ///
  /// Claims by this default are seen by the threads that use this object. A store that other
  /// objects or processes see as well overrides it.
  /// Throws: the errors of `admit`; nothing is added then.
  [[nodiscard]] virtual std::unique_ptr<store_claim> claim(std::string_view key,
                                                           std::string_view text,
                                                           const claim_judge& admit);

  /// Tells whether `key` has a value.
  [[nodiscard]] bool exists(std::string_view key) const { return size(key).has_value(); }

 private:
  struct turns;
  struct claims;
  std::unique_ptr<turns> turns_;
  std::shared_ptr<claims> claims_;
};

/// Throws store_error unless `key` is well-formed.
void validate_key(std::string_view key);

/// Throws store_error unless `folder` is "" or a well-formed key.
void validate_folder(std::string_view folder);

}  // namespace tessera
