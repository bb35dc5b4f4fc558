// SPDX-License-Identifier: Apache-2.0
/// \file
/// How counts of elements by a digit of their keys tell that of elements at places in order.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/order_search.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/lines/places_sought.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

bool detail::are_of_same_lines(const block_shapes& of, std::size_t num_inputs) {
  if (of.inputs.size() != num_inputs || of.outputs.size() != 1 || of.parameters == nullptr) {
    return false;
  }
  const index_vector& known = of.inputs.back();
  if (known.empty() || known.back() < 3 || known.back() % 2 == 0) return false;
  const std::size_t num_loops = known.size() - 1;
  return std::all_of(of.inputs.begin(), of.inputs.end(), [&](const index_vector& each) {
    return each.size() > num_loops && std::equal(known.begin(), known.end() - 1, each.begin());
  });
}

order_search::digit detail::take_digit(byte_reader& bytes) {
  const order_search::digit by{bytes.take<std::int32_t>(), bytes.take<std::int32_t>(),
                               bytes.take<bool>()};
  if (by.shift < 0 || by.bits < 1 || by.bits > order_search::most_bits || by.shift + by.bits > 64 ||
      (!by.is_first && by.shift + by.bits > 63)) {
    throw value_error("order search: found parameters that are not those of a digit");
  }
  return by;
}

std::string detail::identity_of(const order_search::digit& by) {
  return bytes_of(by.shift) + bytes_of(by.bits) + bytes_of(by.is_first);
}

namespace {

using detail::num_places;
using order_search::digit;
using order_search::places;

/// How one of several digits is found.
struct narrowing {
  digit by;
  places sought;
};

/// A row of int64 in memory.
struct row {
  const std::byte* data;
  index_t stride;
  std::int64_t operator[](index_t i) const {
    return *detail::typed<std::int64_t>(data + i * stride);
  }
};

class narrower {
 public:
  narrower(const narrowing& how, index_t length_of_counts) : how_(how), length_(length_of_counts) {}

  void operator()(const row& counted, const row& known, std::byte* made, index_t stride) {
    const auto at = [&](index_t i) -> std::int64_t& {
      return *detail::typed<std::int64_t>(made + i * stride);
    };
    const index_t count = how_.sought.count();
    index_t size = known[0];
    if (how_.by.is_first) {
      size = size_of_line(counted);
      detail::find_places(how_.sought, size, wanted_);
    }
    at(0) = size;
    index_t owner = 0;
    for (index_t s = 0; s < count; ++s) {
      const index_t from = how_.by.is_first ? 0 : s;
      if (from > 0 && known[1 + 2 * from] != known[1 + 2 * owner]) owner = from;
      index_t place = how_.by.is_first ? wanted_[static_cast<std::size_t>(s)] : known[2 + 2 * from];
      const index_t digit = size == 0 ? 0 : digit_at(counted, owner, place);
      const auto before = static_cast<std::uint64_t>(known[1 + 2 * from]);
      at(1 + 2 * s) =
          static_cast<std::int64_t>(before << how_.by.bits | static_cast<std::uint64_t>(digit));
      at(2 + 2 * s) = place;
    }
  }

 private:
  /// Returns how many elements are in order; 0 where there is no order among them.
  index_t size_of_line(const row& counted) const {
    index_t size = 0;
    for (index_t i = 0; i + 1 < length_; ++i) size += counted[i];
    const index_t num_nan = counted[length_ - 1];
    if (how_.sought.run > 0) return size;
    return num_nan > 0 && !how_.sought.quantiles.skips_nan ? 0 : size - num_nan;
  }

  /// Returns the value of the digit at `place`, which becomes that among the elements with it.
  [[nodiscard]] index_t digit_at(const row& counted, index_t owner, index_t& place) const {
    const index_t values = how_.by.values();
    index_t digit = 0;
    while (digit + 1 < values) {
      const index_t here = counted[owner * values + digit];
      if (place < here) break;
      place -= here;
      ++digit;
    }
    return digit;
  }

  const narrowing& how_;
  index_t length_;
  std::vector<index_t> wanted_;
};

void run_narrow(const block_call& call) {
  const block_input& counted = call.inputs[0];
  const block_input& known = call.inputs[1];
  const block_output& made = call.outputs[0];
  narrower narrow(*static_cast<const narrowing*>(call.parameters), counted.extents.back());
  const index_vector lines(made.extents.begin(), made.extents.end() - 1);
  index_vector position(lines.size());
  do {
    row counts_here{counted.data, counted.strides.back()};
    row known_here{known.data, known.strides.back()};
    std::byte* to = made.data;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      counts_here.data += position[k] * counted.strides[k];
      known_here.data += position[k] * known.strides[k];
      to += position[k] * made.strides[k];
    }
    narrow(counts_here, known_here, to, made.strides.back());
  } while (!lines.empty() && next_position(position, lines));
}

bool are_narrowed(const block_shapes& of) {
  if (!detail::are_of_same_lines(of, 2)) return false;
  const auto& how = *static_cast<const narrowing*>(of.parameters);
  const index_vector& counted = of.inputs[0];
  const index_vector& known = of.inputs[1];
  const index_vector& made = of.outputs[0];
  const index_t before = num_places(known.back());
  return counted.size() == known.size() && made.size() == known.size() &&
         std::equal(made.begin(), made.end() - 1, known.begin()) &&
         counted.back() == order_search::length_of_counts(before, how.by) &&
         made.back() == order_search::length_of_known(how.sought.count()) &&
         before == (how.by.is_first ? 1 : how.sought.count());
}

std::size_t narrow_workspace(const block_shapes& of) {
  // The places of a line, which it holds by itself.
  return static_cast<std::size_t>(of.outputs[0].back()) * sizeof(index_t);
}

kernel_parameters restore_narrowing(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const digit by = detail::take_digit(bytes);
  const places sought = detail::take_places(bytes);
  bytes.require_end();
  return order_search::narrow_parameters(by, sought);
}

const bool is_known = (static_cast<void>(order_search::narrow()), true);

}  // namespace

std::int32_t order_search::key_bits(dtype type) {
  return static_cast<std::int32_t>(8 * size_of(type));
}

index_t order_search::places::count() const {
  if (run == 0) return 2 * static_cast<index_t>(quantiles.q.size());
  return std::max<index_t>(1, (size - 1) / run);
}

const block_kernel& order_search::narrow() {
  static_cast<void>(is_known);
  static const block_kernel kernel{.name = "next digit",
                                   .label = "next digit",
                                   .inputs = {dtype::int64, dtype::int64},
                                   .outputs = {dtype::int64},
                                   .run = &run_narrow,
                                   .takes = &are_narrowed,
                                   .workspace = &narrow_workspace,
                                   .restore = &restore_narrowing,
                                   .is_separable = true};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

kernel_parameters order_search::narrow_parameters(const digit& by, const places& sought) {
  return {narrowing{by, sought}, detail::identity_of(by) + detail::identity_of(sought)};
}

}  // namespace tessera
