// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/progress_bar.hpp"

#include "observe/api/default_progress.hpp"
#include "observe/api/default_report.hpp"
#include "observe/api/default_status.hpp"

#include <optional>
#include <string>

namespace tessera {

void observe_nothing() {
  exchange_default_progress(progress_mode::never);
  // An empty folder is no record, whatever the environment says.
  exchange_default_report(std::string());
  exchange_default_status(std::nullopt);
}

}  // namespace tessera
