// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where arrays are kept: keys and values.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// How another process of the same program finds a store.
struct store_recipe {
  /// The name under which `register_store` knows how.
  std::string scheme;
  /// What stands behind "<scheme>://": names joined by "/", the last of which is the folder that
  /// the store's keys are in.
  std::string place;
  /// What else makes the store, as it writes it down; "" for one that is opened by its place alone.
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

  /// Returns what earlier holders announced and did not finish, the oldest first.
  [[nodiscard]] virtual const std::vector<std::string>& unfinished() const = 0;

  /// Tells that what was announced is done, and what others left unfinished as well.
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
/// store fails; what was stored before is still there then.
class key_value_store {
 public:
  key_value_store();
  key_value_store(const key_value_store&) = delete;
  key_value_store& operator=(const key_value_store&) = delete;
  virtual ~key_value_store();

  /// Returns the name of the store for people: "/data/era5.zarr", "memory".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Returns how another process finds the store; nothing, as by this default, where none can.
  [[nodiscard]] virtual std::optional<store_recipe> recipe() const { return std::nullopt; }

  /// Returns a text that tells the values in `folder` and below it from what they are later, when
  /// one of them has been written, added or removed. Names that begin with "." do not count.
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

  /// Reads the bytes of the value of `key` from `first` on into `into`, of which what lies behind
  /// the value's end stays as it is; returns the size of the whole value, nothing if missing.
  ///
  /// This default reads the value whole, into memory of its own.
  /// Throws: store_error <- as `read`, whatever the size.
  [[nodiscard]] virtual std::optional<std::size_t> read_range(std::string_view key,
                                                              std::size_t first,
                                                              std::span<std::byte> into) const;

  /// Tells whether `read_range` reads no more than it is asked for: else plans read values whole.
  [[nodiscard]] virtual bool has_ranges() const { return false; }

  /// Returns the value of `key`, nothing if missing.
  ///
  /// Throws: store_error <- as `read`, for a value that is larger than `limit`.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                                       std::size_t limit) const = 0;

  /// Returns the size of the value of `key`, nothing if missing.
  [[nodiscard]] virtual std::optional<std::size_t> size(std::string_view key) const = 0;

  /// Makes `value` the value of `key`, atomically.
  virtual void write(std::string_view key, std::span<const std::byte> value) = 0;

  /// Removes `key`; does nothing if it is missing.
  virtual void erase(std::string_view key) = 0;

  /// Removes every key in `folder` and below it.
  virtual void erase_all(std::string_view folder) = 0;

  /// Returns every key in `folder` and below it, sorted.
  [[nodiscard]] virtual std::vector<std::string> list(std::string_view folder) const = 0;

  /// Returns the names directly in `folder`, sorted; those of folders end in "/".
  [[nodiscard]] virtual std::vector<std::string> list_folder(std::string_view folder) const = 0;

  /// Waits until nobody else holds the lock of `key`, and returns it; a null pointer where nobody
  /// can tell, as on a file system without locks. The key need not have a value, and may be read
  /// and written without its lock.
  ///
  /// `intent`, what the holder is about to do, is left to the next one unless `finish()` is called,
  /// be it because the holder failed or because its process died, with which the lock ends.
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
  /// Throws: what `admit` throws; nothing is added then.
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
