// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The contract of codecs; `register_codec_conformance` makes the tests of one configuration.

#include "tessera/codec/configuration.hpp"

#include <string>

namespace tessera::testing {

/// The promise of a codec about decoded values.
enum class promise {
  gives_back,  ///< the decoded bytes are the encoded ones
  rounds,      ///< the values keep their number, but may change
};

/// Registers the conformance tests of a codec as `Codec/<name>.<Test>`; it is given whole numbers
/// of float32.
///
/// Returns true, so that a registration can initialise a constant.
bool register_codec_conformance(const std::string& name, const codec::configuration& choice,
                                promise kept = promise::gives_back);

}  // namespace tessera::testing
