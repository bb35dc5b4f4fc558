// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elements of a stage that later stages read.

#include "tessera/primitive/loop_schedule.hpp"

#include "primitive/composition/composition.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// Tells whether stage `number` of `stages` reads elements of earlier stages alone that these
/// compute in the same step, sweep or task, however `schedule` cuts the domain into blocks.
[[nodiscard]] bool reads_computed(std::span<const stage> stages, std::size_t number,
                                  const loop_schedule& schedule);

}  // namespace tessera::detail
