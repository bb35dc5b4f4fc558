// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The intervals and the time-outs of runs on systems with job arrays.

#include <chrono>

namespace tessera {

/// The intervals at which a run on a system with job arrays looks around, and its time-outs.
struct array_timing {
  /// The interval at which the folder of the run is read for elements that have begun or ended.
  std::chrono::milliseconds poll{100};
  /// The interval at which the system is asked for lost elements: killed, cancelled, gone with
  /// their node.
  std::chrono::milliseconds query{10'000};
  /// The time that a file may take from its node until this host sees it: an element that the
  /// system says has ended, and that has not reported by then, was lost.
  std::chrono::milliseconds visible{30'000};
  /// For how long commands are repeated while the system does not answer, and elements waited for
  /// that it has accepted and never listed.
  std::chrono::milliseconds patience{600'000};
  /// The time that running tasks have after an interrupt. Then their elements are cancelled.
  std::chrono::milliseconds grace{15'000};
  /// If the folder of the run is in a store: the interval at which the driver renews its sign of
  /// life there, the age of a sign at which its driver counts as dead, and the interval at which
  /// another driver of the same run looks at the sign.
  std::chrono::milliseconds renewal{20'000};
  std::chrono::milliseconds silence{90'000};
  std::chrono::milliseconds look{5'000};

  [[nodiscard]] bool operator==(const array_timing&) const = default;
};

}  // namespace tessera
