// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What every codec must do; `register_codec_conformance` makes the tests of one configuration.

#include "tessera/codec/configuration.hpp"

#include <string>

namespace tessera::testing {

/// What a codec promises.
enum class promise {
  gives_back,  ///< what was encoded is what is decoded
  rounds,      ///< values are as many as they were, but may be others
};

/// Registers the conformance tests of a codec as `Codec/<name>.<Test>`; it is given whole numbers
/// of float32.
///
/// Returns true, so that a registration can initialise a constant.
bool register_codec_conformance(const std::string& name, const codec::configuration& choice,
                                promise kept = promise::gives_back);

}  // namespace tessera::testing
