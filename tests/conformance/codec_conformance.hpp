// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What every codec must do; `register_codec_conformance` makes the tests of one configuration.

#include "tessera/codec/configuration.hpp"

#include <string>

namespace tessera::testing {

/// Registers the conformance tests of a codec as `Codec/<name>.<Test>`.
///
/// Returns true, so that a registration can initialise a constant.
bool register_codec_conformance(const std::string& name, const codec::configuration& choice);

}  // namespace tessera::testing
