// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/float16.hpp"

#include <Eigen/Core>

namespace tessera {

float float16_value(std::uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}

std::uint16_t float16_bits(double value) {
  return Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(detail::round_to_odd(value)));
}

}  // namespace tessera
