// SPDX-License-Identifier: Apache-2.0
/// \file
/// The second half of a radix selection: narrows prefixes of keys by the counts of a digit.
///
/// For each rank, the state of a line has the known leading digits of its element and the rank
/// among the elements with these digits. The counts of the next digit fix that digit:
///
///     rank 5 among keys 1..., counts of the next digit [3 1 4]: digit 2, rank 5 - 3 - 1 = 1
///
/// Invariant: equal prefixes share one table of counts, that of the first rank with the prefix.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/api/radix_select.hpp"
#include "kernel/lines/rank_query.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

bool detail::are_of_same_lines(const block_shapes& of, std::size_t num_inputs) {
  if (of.inputs.size() != num_inputs || of.outputs.size() != 1 || of.parameters == nullptr) {
    return false;
  }
  const index_vector& search_state = of.inputs.back();
  if (search_state.empty() || search_state.back() < 3 || search_state.back() % 2 == 0) return false;
  const std::size_t num_loops = search_state.size() - 1;
  return std::all_of(of.inputs.begin(), of.inputs.end(), [&](const index_vector& operand_extents) {
    return operand_extents.size() > num_loops &&
           std::equal(search_state.begin(), search_state.end() - 1, operand_extents.begin());
  });
}

radix_select::digit detail::take_digit(byte_reader& bytes) {
  const radix_select::digit by{bytes.take<std::int32_t>(), bytes.take<std::int32_t>(),
                               bytes.take<bool>()};
  if (by.shift < 0 || by.bits < 1 || by.bits > radix_select::most_bits || by.shift + by.bits > 64 ||
      (!by.is_first && by.shift + by.bits > 63)) {
    throw value_error("radix select: the saved parameters are no digit");
  }
  return by;
}

std::string detail::identity_of(const radix_select::digit& by) {
  return bytes_of(by.shift) + bytes_of(by.bits) + bytes_of(by.is_first);
}

namespace {

using detail::num_ranks;
using radix_select::digit;
using radix_select::rank_query;

/// The parameters of a step: the digit, and the ranks.
struct narrowing {
  digit by;
  rank_query query;
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
  narrower(const narrowing& spec, index_t length_of_counts)
      : spec_(spec), length_(length_of_counts) {}

  void operator()(const row& counted, const row& search_state, std::byte* narrowed,
                  index_t stride) {
    const auto at = [&](index_t i) -> std::int64_t& {
      return *detail::typed<std::int64_t>(narrowed + i * stride);
    };
    const index_t count = spec_.query.count();
    index_t size = search_state[0];
    if (spec_.by.is_first) {
      size = size_of_line(counted);
      detail::find_ranks(spec_.query, size, ranks_);
    }
    at(0) = size;
    index_t owner = 0;
    for (index_t s = 0; s < count; ++s) {
      const index_t from = spec_.by.is_first ? 0 : s;
      if (from > 0 && search_state[1 + 2 * from] != search_state[1 + 2 * owner]) owner = from;
      index_t rank =
          spec_.by.is_first ? ranks_[static_cast<std::size_t>(s)] : search_state[2 + 2 * from];
      const index_t digit = size == 0 ? 0 : digit_at(counted, owner, rank);
      const auto before = static_cast<std::uint64_t>(search_state[1 + 2 * from]);
      at(1 + 2 * s) =
          static_cast<std::int64_t>(before << spec_.by.bits | static_cast<std::uint64_t>(digit));
      at(2 + 2 * s) = rank;
    }
  }

 private:
  /// Returns the number of elements that have ranks, or 0 if a NaN makes all quantiles NaN.
  index_t size_of_line(const row& counted) const {
    index_t size = 0;
    for (index_t i = 0; i + 1 < length_; ++i) size += counted[i];
    const index_t num_nan = counted[length_ - 1];
    if (spec_.query.run > 0) return size;
    return num_nan > 0 && !spec_.query.quantiles.skips_nan ? 0 : size - num_nan;
  }

  /// Returns the digit of the element of `rank`. Sets `rank` to the rank among the elements
  /// with that digit.
  [[nodiscard]] index_t digit_at(const row& counted, index_t owner, index_t& rank) const {
    const index_t values = spec_.by.values();
    index_t digit = 0;
    while (digit + 1 < values) {
      const index_t here = counted[owner * values + digit];
      if (rank < here) break;
      rank -= here;
      ++digit;
    }
    return digit;
  }

  const narrowing& spec_;
  index_t length_;
  std::vector<index_t> ranks_;
};

void run_narrow(const block_call& call) {
  const block_input& counted = call.inputs[0];
  const block_input& search_state = call.inputs[1];
  const block_output& narrowed = call.outputs[0];
  narrower narrow(*static_cast<const narrowing*>(call.parameters), counted.extents.back());
  const index_vector lines(narrowed.extents.begin(), narrowed.extents.end() - 1);
  index_vector position(lines.size());
  do {
    row counts_here{counted.data, counted.strides.back()};
    row line_state{search_state.data, search_state.strides.back()};
    std::byte* to = narrowed.data;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      counts_here.data += position[k] * counted.strides[k];
      line_state.data += position[k] * search_state.strides[k];
      to += position[k] * narrowed.strides[k];
    }
    narrow(counts_here, line_state, to, narrowed.strides.back());
  } while (!lines.empty() && next_position(position, lines));
}

bool are_narrowed(const block_shapes& of) {
  if (!detail::are_of_same_lines(of, 2)) return false;
  const auto& spec = *static_cast<const narrowing*>(of.parameters);
  const index_vector& counted = of.inputs[0];
  const index_vector& search_state = of.inputs[1];
  const index_vector& narrowed = of.outputs[0];
  const index_t before = num_ranks(search_state.back());
  return counted.size() == search_state.size() && narrowed.size() == search_state.size() &&
         std::equal(narrowed.begin(), narrowed.end() - 1, search_state.begin()) &&
         counted.back() == radix_select::length_of_counts(before, spec.by) &&
         narrowed.back() == radix_select::length_of_state(spec.query.count()) &&
         before == (spec.by.is_first ? 1 : spec.query.count());
}

std::size_t narrow_workspace(const block_shapes& of) {
  // The ranks of a line, allocated by `narrower`.
  return static_cast<std::size_t>(of.outputs[0].back()) * sizeof(index_t);
}

kernel_parameters restore_narrowing(std::string_view identity) {
  detail::byte_reader bytes(identity);
  const digit by = detail::take_digit(bytes);
  const rank_query query = detail::take_query(bytes);
  bytes.require_end();
  return radix_select::narrow_parameters(by, query);
}

const bool is_known = (static_cast<void>(radix_select::narrow()), true);

}  // namespace

std::int32_t radix_select::key_bits(dtype type) {
  return static_cast<std::int32_t>(8 * size_of(type));
}

index_t radix_select::rank_query::count() const {
  if (run == 0) return 2 * static_cast<index_t>(quantiles.q.size());
  return std::max<index_t>(1, (size - 1) / run);
}

const block_kernel& radix_select::narrow() {
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
  static const block_kernel& registered = register_kernel(kernel);
  return registered;
}

kernel_parameters radix_select::narrow_parameters(const digit& by, const rank_query& query) {
  return {narrowing{by, query}, detail::identity_of(by) + detail::identity_of(query)};
}

}  // namespace tessera
