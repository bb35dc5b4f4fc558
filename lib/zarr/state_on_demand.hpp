// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state of an array for its readers and writers.

#include "zarr/array_state.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace tessera::detail {

/// The state of an array, without its attributes. It is found when it is asked for the first time.
class state_on_demand {
 public:
  [[nodiscard]] const std::shared_ptr<const zarr_array_state>& of(const zarr_array& array) const {
    std::call_once(is_found_, [&] {
      auto state = std::make_shared<zarr_array_state>(array.store(), array.path(), array.metadata(),
                                                      tessera::attributes());
      state->policy = array.policy();
      state_ = std::move(state);
    });
    return state_;
  }

 private:
  mutable std::once_flag is_found_;
  mutable std::shared_ptr<const zarr_array_state> state_;
};

}  // namespace tessera::detail
