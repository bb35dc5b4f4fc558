// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a computation may use: memory, places and folders.

#include "tessera/core/bytes.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tessera {

class executor;

/// What becomes of the work that an earlier run of the same computation left in the work directory.
enum class resume_mode : std::uint8_t {
  automatic,  ///< continued where it is there
  never,      ///< computed afresh
  require,    ///< continued; a `value_error` where nothing is there
};

/// What a computation may use. Every array carries one; arrays that are computed together must
/// carry equal ones.
struct spec {
  /// The folder for intermediate arrays; made when the first one is written.
  std::string work_dir = "tessera-work";

  /// The limit for one task, reserved memory included.
  bytes allowed_memory{2'000'000'000};

  /// What a worker process uses before any data. Zero leaves the process itself out of
  /// `allowed_memory`; `measure_reserved_memory()` tells what to put here.
  bytes reserved_memory{0};

  /// The limit for all that runs at once on one host; not set: workers x allowed memory + results.
  std::optional<bytes> host_memory = std::nullopt;

  /// What runs the tasks; null: threads on every core, or what `--tessera-executor` says.
  std::shared_ptr<tessera::executor> executor = nullptr;

  /// How intermediate arrays are compressed: "none" or one of Blosc's compressors, as "lz4".
  std::string intermediate_compressor = "lz4";

  /// How often a task is tried that fails for a reason that may pass.
  int max_attempts = 3;

  /// The longest that a task may run; then its worker is stopped where the executor can, which
  /// costs the task an attempt. Not set: for ever.
  std::optional<std::chrono::milliseconds> task_timeout = std::nullopt;

  /// Whether a task that takes far longer than its like is started once more elsewhere.
  bool backups = true;

  /// What becomes of an earlier run's work; not set: what `--tessera-resume` says, else automatic.
  std::optional<resume_mode> resume = std::nullopt;

  [[nodiscard]] bool operator==(const spec&) const = default;
};

}  // namespace tessera
