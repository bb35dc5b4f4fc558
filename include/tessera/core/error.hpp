// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The exceptions that Tessera throws: one hierarchy, one type for each kind of mistake.

#include <stdexcept>
#include <string>

namespace tessera {

/// The root of every exception that Tessera throws.
///
/// A message is one sentence: the function, what was found, what is required, and a remedy.
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

/// A key that a store cannot read, write or list.
///
/// `may_pass()` tells whether trying again is worth while: an interrupted call may pass, a missing
/// permission does not.
class store_error : public error {
 public:
  explicit store_error(const std::string& message, bool may_pass = false)
      : error(message), may_pass_(may_pass) {}
  [[nodiscard]] bool may_pass() const noexcept { return may_pass_; }

 private:
  bool may_pass_;
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
