// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The exceptions that Tessera throws: one hierarchy, one type for each kind of mistake.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace tessera {

/// The root of every exception that Tessera throws.
///
/// A message is one sentence: the function, the value, the rule, and a remedy.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Extents, ranks or indices that do not fit together.
class shape_error : public error {
 public:
  using error::error;
};

/// An element type that a function or a file does not have.
class dtype_error : public error {
 public:
  using error::error;
};

/// A value out of its range, an unknown option or name, specs that differ.
class value_error : public error {
 public:
  using error::error;
};

/// A plan, task or result that would need more memory than is allowed.
class memory_error : public error {
 public:
  using error::error;
};

/// Bytes that a codec cannot decode or encode, or a codec that is not known.
class codec_error : public error {
 public:
  using error::error;
};

/// The kinds of failures of stores.
enum class store_failure : std::uint8_t {
  passing,      ///< an interrupted call, a busy machine, a lost connection
  throttled,    ///< a service that refuses requests because they are too many
  denied,       ///< a missing permission
  no_store,     ///< a directory or bucket that does not exist
  too_large,    ///< a value that is larger than the caller's buffer or limit
  changed,      ///< a value that has been replaced since its version was read
  unsupported,  ///< a function that the store does not have
  permanent,    ///< any other failure
};

/// A key that a store cannot read, write or list.
class store_error : public error {
 public:
  explicit store_error(const std::string& message, bool may_pass = false)
      : store_error(message, may_pass ? store_failure::passing : store_failure::permanent) {}
  store_error(const std::string& message, store_failure kind,
              std::optional<std::uint64_t> value_size = std::nullopt)
      : error(message), kind_(kind), value_size_(value_size) {}

  [[nodiscard]] store_failure kind() const noexcept { return kind_; }
  /// Returns the size of the stored value in bytes, or nullopt if it is not known.
  [[nodiscard]] std::optional<std::uint64_t> value_size() const noexcept { return value_size_; }
  /// Tells whether another attempt may succeed: the failure is `passing` or `throttled`.
  [[nodiscard]] bool may_pass() const noexcept {
    return kind_ == store_failure::passing || kind_ == store_failure::throttled;
  }

 private:
  store_failure kind_;
  std::optional<std::uint64_t> value_size_;
};

/// Zarr metadata or chunks that break the specification or that contradict the caller.
class zarr_error : public error {
 public:
  using error::error;
};

/// A failure inside a task; names the operation, the block and the cause.
class task_error : public error {
 public:
  using error::error;
};

/// A worker that was lost while it ran a task: killed, crashed, or gone with its host.
class worker_error : public error {
 public:
  using error::error;
};

/// A task that ran for longer than its time-out.
class timeout_error : public error {
 public:
  using error::error;
};

/// A computation that was stopped by an interrupt.
class interrupted_error : public error {
 public:
  using error::error;
};

}  // namespace tessera
