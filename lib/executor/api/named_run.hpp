// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs that several processes may begin.

#include <string>

namespace tessera {

/// A workload that several processes may compute, at the same time or one after the other.
class named_run {
 public:
  /// Returns a name that equal computations share and different computations do not; "" if the
  /// computation has none. It prepares nothing.
  [[nodiscard]] virtual std::string run_name() = 0;

 protected:
  ~named_run() = default;
};

}  // namespace tessera
