// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The resources of a computation: memory, placement and folders; and their costs.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"

#include <optional>
#include <string>

namespace tessera {

/// The resources of a computation. Every array carries one; arrays that are computed together must
/// carry equal ones. The options of a run are in `run_with`.
struct spec {
  /// The folder for intermediate arrays; made when the first one is written.
  std::string work_dir = "tessera-work";

  /// The limit for one task, reserved memory included.
  bytes allowed_memory{2'000'000'000};

  /// The memory of a worker process before any data. Zero leaves the process itself out of
  /// `allowed_memory`; `measure_reserved_memory()` measures it.
  bytes reserved_memory{0};

  /// The limit for all that runs at once on one host; not set: the memory of the processes before
  /// any data, the rest of the allowed memory for each worker, and the results, at most the
  /// installed memory.
  std::optional<bytes> host_memory = std::nullopt;

  /// The compressor of intermediate arrays: "none", one of Blosc's compressors, as "lz4", or
  /// "automatic". Automatic is "lz4" if, by `costs`, the saved bytes take storage longer than
  /// compression takes.
  std::string intermediate_compressor = "automatic";

  /// The costs of reading, writing and computing, by which plans are chosen.
  tessera::costs costs = {};

  /// The longest time of a task, by `costs`. Longer tasks are cut, as far as chunks and the leaves
  /// of folds allow. If tasks take long to start (`costs.task`), at least half of it is for their
  /// work.
  tessera::costs::seconds task_time{60};

  [[nodiscard]] bool operator==(const spec&) const = default;
};

}  // namespace tessera
