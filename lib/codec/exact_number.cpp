// SPDX-License-Identifier: Apache-2.0
#include "codec/exact_number.hpp"

namespace tessera::detail {

bool exact_number::operator==(const exact_number& rhs) const {
  if (category != rhs.category) return false;
  if (category == kind::not_a_number) return true;
  if (category == kind::infinite) return is_negative == rhs.is_negative;
  if (magnitude == 0 || rhs.magnitude == 0) return magnitude == rhs.magnitude;
  const int zeros = std::countr_zero(magnitude);
  const int zeros_of_rhs = std::countr_zero(rhs.magnitude);
  return is_negative == rhs.is_negative && magnitude >> zeros == rhs.magnitude >> zeros_of_rhs &&
         exponent + zeros == rhs.exponent + zeros_of_rhs;
}

std::uint64_t shifted(const exact_number& number, int drop, rounding mode) {
  const std::uint64_t quotient = drop < 64 ? number.magnitude >> drop : 0;
  const std::uint64_t rest = drop < 64 ? number.magnitude - (quotient << drop) : number.magnitude;
  if (rest == 0) return quotient;
  // Beyond 64 bits, the rest is less than a half.
  const std::uint64_t half = drop <= 64 ? std::uint64_t{1} << (drop - 1) : 0;
  const bool is_half = half != 0 && rest == half;
  const bool is_above = half != 0 && rest > half;
  bool is_up = false;
  switch (mode) {
    case rounding::nearest_even:
      is_up = is_above || (is_half && quotient % 2 == 1);
      break;
    case rounding::nearest_away:
      is_up = is_above || is_half;
      break;
    case rounding::towards_positive:
      is_up = !number.is_negative;
      break;
    case rounding::towards_negative:
      is_up = number.is_negative;
      break;
    case rounding::towards_zero:
      break;
  }
  return quotient + (is_up ? 1 : 0);
}

rounded_integer nearest_integer(const exact_number& number, rounding mode) {
  if (number.exponent < 0) return {shifted(number, -number.exponent, mode)};
  const auto width = static_cast<int>(std::bit_width(number.magnitude));
  return {number.exponent < 64 ? number.magnitude << number.exponent : 0,
          number.magnitude != 0 && number.exponent + width > 64};
}

}  // namespace tessera::detail
