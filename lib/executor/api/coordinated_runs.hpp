// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The runs with their folders in a store: how they are listed, and how the folders of dead drivers
/// are removed.

#include "tessera/core/bytes.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The age of a sign of life at which a driver counts as dead.
inline constexpr std::chrono::milliseconds longest_silence_of_drivers{90'000};

/// The folder of a run in a store.
struct coordinated_run {
  std::string location;
  /// The driver in words, "process 7 on login1"; "" if the driver has removed its signs at its end,
  /// and elements have written afterwards.
  std::string driver;
  /// The age of the driver's last sign of life, by the server's clock; nullopt if it is unknown.
  std::optional<std::chrono::seconds> silence;
  bytes size;
  bool is_running = false;
};

/// Returns the runs with their folders in `directory`, the URL of a store, sorted by location. A
/// run counts as running if the store does not tell the ages of values.
///
/// Throws: value_error, store_error <- as `open_store`; the store fails.
[[nodiscard]] std::vector<coordinated_run> coordinated_runs(
    const std::string& directory, std::chrono::milliseconds silence = longest_silence_of_drivers);

/// Removes the folders of runs that are not running. Each is taken over before, so that neither its
/// driver nor a new one works on it meanwhile. Returns the number of removed folders.
///
/// Throws: as `coordinated_runs`.
std::size_t remove_coordinated_runs(const std::string& directory,
                                    std::chrono::milliseconds silence = longest_silence_of_drivers);

}  // namespace tessera
