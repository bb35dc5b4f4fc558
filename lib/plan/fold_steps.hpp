// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operations take the steps that they were made with, whatever their blocks.

#include "tessera/primitive/cascade.hpp"
#include "tessera/primitive/epilogue.hpp"
#include "tessera/primitive/primitive.hpp"

namespace tessera {

/// Tells whether `body` folds by strips, be it that more is done behind that: by the extents of a
/// step it chooses along which axis these run, so that in other steps its bits would be others.
inline bool folds_by_strips(const primitive& body) {
  if (const auto* const behind = dynamic_cast<const epilogue*>(&body)) {
    return folds_by_strips(behind->first());
  }
  if (const auto* const levels = dynamic_cast<const cascade*>(&body)) {
    return folds_by_strips(*levels->first());
  }
  return body.kind() == "strips" && body.reduced().any();
}

/// Returns the axes along which a task of `how`, which `body` walks, takes its block step by step.
inline axis_set axes_in_steps(const primitive& body, const walk& how) {
  return folds_by_strips(body) ? ~axis_set{} : body.reduced() | how.ordered;
}

}  // namespace tessera
