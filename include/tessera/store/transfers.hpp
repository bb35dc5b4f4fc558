// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads and writes that a store carries out while its caller goes on.
///
/// A queue belongs to one thread. `submit` starts a request and returns its ticket at once; `wait`
/// returns the result and frees the ticket, which a later request may get. The store outlives its
/// queues and writers. Memory that a request names stays valid until `wait` returns, or until the
/// queue is destroyed.

#include "tessera/store/stored_value.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace tessera {

/// A read of a part of a value.
struct read_request {
  /// The queue copies the key.
  std::string_view key;
  byte_range range = {};
  std::span<std::byte> into = {};
  /// The version that the value must have; any value is read if it is unknown.
  value_version expected = {};
};

/// The reads of one thread that are in flight.
///
/// The destructor gives up the reads that are not complete. No buffer is written to afterwards.
class read_queue {
 public:
  read_queue() = default;
  read_queue(const read_queue&) = delete;
  read_queue& operator=(const read_queue&) = delete;
  virtual ~read_queue() = default;

  /// Starts a read and returns its ticket.
  [[nodiscard]] virtual std::size_t submit(const read_request& request) = 0;

  /// Tells whether `wait` would return, or throw, at once.
  [[nodiscard]] virtual bool is_complete(std::size_t ticket) const = 0;

  /// Waits for a read. Returns the part that was read, or nullopt if the key is missing.
  ///
  /// Throws: store_error <- as `key_value_store::read_part`; `changed` if the value has another
  ///         version than the expected one. The ticket is free in each case.
  virtual std::optional<value_part> wait(std::size_t ticket) = 0;
};

/// The writes of one thread that are in flight. The destructor waits for all of them and ignores
/// their failures.
class write_queue {
 public:
  write_queue() = default;
  write_queue(const write_queue&) = delete;
  write_queue& operator=(const write_queue&) = delete;
  virtual ~write_queue() = default;

  /// Starts a write, as by `key_value_store::write`, and returns its ticket. The queue copies the
  /// key but not the value.
  [[nodiscard]] virtual std::size_t submit(std::string_view key,
                                           std::span<const std::byte> value) = 0;

  /// Tells whether `wait` would return, or throw, at once.
  [[nodiscard]] virtual bool is_complete(std::size_t ticket) const = 0;

  /// Waits for a write. Throws: store_error <- as `key_value_store::write`; the ticket is free in
  /// each case.
  virtual void wait(std::size_t ticket) = 0;
};

/// A value that is written piece by piece. No reader sees it before `finish` returns. The
/// destructor discards a value that is not finished.
class value_writer {
 public:
  value_writer() = default;
  value_writer(const value_writer&) = delete;
  value_writer& operator=(const value_writer&) = delete;
  virtual ~value_writer() = default;

  /// Appends `piece` to the value. Throws: store_error <- the store fails; the value is discarded.
  virtual void append(std::span<const std::byte> piece) = 0;

  /// Makes the appended pieces the value of the key, atomically. It is the last call.
  ///
  /// Throws: store_error <- the store fails; the key has its old value then.
  virtual void finish() = 0;
};

}  // namespace tessera
