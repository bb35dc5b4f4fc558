// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a computation may use: memory, places and folders; and what that costs.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"

#include <optional>
#include <string>

namespace tessera {

/// What a computation may use. Every array carries one; arrays that are computed together must
/// carry equal ones. How it is run is said where it is run, by `run_with`.
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

  /// How intermediate arrays are compressed: "none", one of Blosc's compressors, as "lz4", or
  /// "automatic": "lz4" where storage, by `costs`, takes longer for what that saves than it takes.
  std::string intermediate_compressor = "automatic";

  /// What reading, writing and computing take, by which plans are chosen.
  tessera::costs costs = {};

  [[nodiscard]] bool operator==(const spec&) const = default;
};

}  // namespace tessera
