// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Columns of numbers as planes: the first bytes of the varints of all numbers, then the second
/// bytes of the numbers that have two, and so on. Bytes of one plane are alike: deflated, they take
/// a sixth less.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

[[nodiscard]] std::string planes_of(std::vector<std::uint64_t> numbers);

/// Takes the planes of `count` numbers from the front of `bytes`, and returns the numbers; nullopt
/// if the planes are not whole, or a number has more than 64 bits.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> take_planes(std::string_view& bytes,
                                                                    std::size_t count);

}  // namespace tessera
