// SPDX-License-Identifier: Apache-2.0
/// \file
/// Quantiles of lines whose elements of the needed ranks are known.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/api/radix_select.hpp"
#include "kernel/lines/keys.hpp"
#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/quantile_ranks.hpp"
#include "kernel/lines/rank_query.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {

void detail::find_ranks(const radix_select::rank_query& query, index_t size,
                        std::vector<index_t>& ranks) {
  ranks.assign(static_cast<std::size_t>(query.count()), 0);
  if (query.run > 0) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ranks[i] = std::min((static_cast<index_t>(i) + 1) * query.run, query.size - 1);
    }
    return;
  }
  if (size == 0) return;
  for (std::size_t i = 0; i < query.quantiles.q.size(); ++i) {
    const rank_in_line rank = rank_of(query.quantiles, i, size);
    ranks[2 * i] = rank.index;
    ranks[2 * i + 1] = rank.index + (rank.fraction == 0 ? 0 : 1);
  }
  std::sort(ranks.begin(), ranks.end());
}

std::string detail::identity_of(const radix_select::rank_query& query) {
  std::string bytes = bytes_of(query.run) + bytes_of(query.size) + bytes_of(query.is_descending);
  if (query.run == 0) bytes += line::quantile_parameters(query.quantiles).identity();
  return bytes;
}

radix_select::rank_query detail::take_query(byte_reader& bytes) {
  radix_select::rank_query query;
  query.run = bytes.take<index_t>();
  query.size = bytes.take<index_t>();
  query.is_descending = bytes.take<bool>();
  if (query.run < 0 || query.size < 0 || (query.run > 0 && query.size == 0)) {
    throw value_error("radix select: the saved parameters are no query of ranks");
  }
  if (query.run == 0) query.quantiles = take_quantile_query(bytes);
  return query;
}

kernel_parameters detail::restore_positions(std::string_view identity) {
  byte_reader bytes(identity);
  const radix_select::rank_query query = take_query(bytes);
  bytes.require_end();
  return radix_select::query_parameters(query);
}

namespace {

using detail::query_in;
using radix_select::rank_query;

std::int64_t state_at(const std::byte* search_state, index_t stride, index_t i) {
  return *detail::typed<std::int64_t>(search_state + i * stride);
}

bool finds_quantiles(const block_shapes& of) {
  if (of.inputs.size() != 1 || of.outputs.size() != 1 || of.inputs[0].empty()) return false;
  const rank_query& query = query_in(of.parameters);
  index_vector values(of.inputs[0].begin(), of.inputs[0].end() - 1);
  if (query.quantiles.has_axis) values.push_back(static_cast<index_t>(query.quantiles.q.size()));
  return query.run == 0 && of.outputs[0] == values &&
         of.inputs[0].back() == radix_select::length_of_state(query.count());
}

/// The bytes of the ranks of a line, which the kernel allocates.
std::size_t bytes_of_positions(const block_shapes& of) {
  return static_cast<std::size_t>(query_in(of.parameters).count()) * sizeof(index_t);
}

template <class T>
class quantiles_found {
 public:
  using result = floating_t<T>;
  static constexpr const char* label = "quantile";

  static void run(const block_call& call) {
    const block_input& search_state = call.inputs[0];
    const block_output& values = call.outputs[0];
    const rank_query& query = query_in(call.parameters);
    const index_vector lines(search_state.extents.begin(), search_state.extents.end() - 1);
    const index_t value_stride = query.quantiles.has_axis ? values.strides.back() : 0;
    std::vector<index_t> ranks;
    index_vector position(lines.size());
    do {
      const std::byte* from = search_state.data;
      std::byte* to = values.data;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        from += position[k] * search_state.strides[k];
        to += position[k] * values.strides[k];
      }
      find(query, from, search_state.strides.back(), to, value_stride, ranks);
    } while (!lines.empty() && next_position(position, lines));
  }

 private:
  static void find(const rank_query& query, const std::byte* search_state, index_t stride,
                   std::byte* values, index_t value_stride, std::vector<index_t>& ranks) {
    const index_t size = state_at(search_state, stride, 0);
    if (size > 0) detail::find_ranks(query, size, ranks);
    const auto element = [&](index_t rank) {
      const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin();
      const auto key = static_cast<detail::key_t<T>>(state_at(search_state, stride, 1 + 2 * at));
      return static_cast<double>(static_cast<detail::compared_t<T>>(detail::element_of<T>(key)));
    };
    for (std::size_t i = 0; i < query.quantiles.q.size(); ++i) {
      auto& to = *detail::typed<result>(values + static_cast<index_t>(i) * value_stride);
      if (size == 0) {
        to = std::numeric_limits<result>::quiet_NaN();
        continue;
      }
      const detail::rank_in_line rank = detail::rank_of(query.quantiles, i, size);
      const double below = element(rank.index);
      const double above = rank.fraction == 0 ? below : element(rank.index + 1);
      to = static_cast<result>(detail::interpolated(query.quantiles, below, above, rank.fraction));
    }
  }
};

template <class T>
const block_kernel& quantile_kernel() {
  using kernel_class = quantiles_found<T>;
  static const std::string name = "quantile found<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = kernel_class::label,
                                   .inputs = {dtype::int64},
                                   .outputs = {dtype_of<typename kernel_class::result>},
                                   .run = &kernel_class::run,
                                   .takes = &finds_quantiles,
                                   .workspace = &bytes_of_positions,
                                   .restore = &detail::restore_positions,
                                   .is_separable = true};
  static const block_kernel& registered = register_kernel(kernel);
  return registered;
}

const bool found_quantiles_are_registered = [] {
  for (const dtype type : detail::ordered_dtypes) {
    static_cast<void>(radix_select::quantile(type));
  }
  return true;
}();

}  // namespace

const block_kernel& radix_select::quantile(dtype type) {
  static_cast<void>(found_quantiles_are_registered);
  return detail::ordered_kernel("quantile", type, []<class T>(type_tag<T>) -> const block_kernel& {
    return quantile_kernel<T>();
  });
}

kernel_parameters radix_select::query_parameters(const rank_query& query) {
  return {query, detail::identity_of(query)};
}

}  // namespace tessera
