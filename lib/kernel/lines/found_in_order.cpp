// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is made of lines whose elements at some places in order are known.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/order_search.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/lines/keys.hpp"
#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/places_sought.hpp"
#include "kernel/lines/quantile_places.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {

void detail::find_places(const order_search::places& sought, index_t size,
                         std::vector<index_t>& places) {
  places.assign(static_cast<std::size_t>(sought.count()), 0);
  if (sought.run > 0) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = std::min((static_cast<index_t>(i) + 1) * sought.run, sought.size - 1);
    }
    return;
  }
  if (size == 0) return;
  for (std::size_t i = 0; i < sought.quantiles.q.size(); ++i) {
    const place_in_order place = place_of(sought.quantiles, i, size);
    places[2 * i] = place.index;
    places[2 * i + 1] = place.index + (place.fraction == 0 ? 0 : 1);
  }
  std::sort(places.begin(), places.end());
}

std::string detail::identity_of(const order_search::places& sought) {
  std::string bytes = bytes_of(sought.run) + bytes_of(sought.size) + bytes_of(sought.is_descending);
  if (sought.run == 0) bytes += line::quantile_parameters(sought.quantiles).identity();
  return bytes;
}

order_search::places detail::take_places(byte_reader& bytes) {
  order_search::places sought;
  sought.run = bytes.take<index_t>();
  sought.size = bytes.take<index_t>();
  sought.is_descending = bytes.take<bool>();
  if (sought.run < 0 || sought.size < 0 || (sought.run > 0 && sought.size == 0)) {
    throw value_error("order search: found parameters that are not those of places");
  }
  if (sought.run == 0) sought.quantiles = take_quantiles(bytes);
  return sought;
}

kernel_parameters detail::restore_places(std::string_view identity) {
  byte_reader bytes(identity);
  const order_search::places sought = take_places(bytes);
  bytes.require_end();
  return order_search::places_parameters(sought);
}

namespace {

using detail::places_in;
using order_search::places;

std::int64_t known_at(const std::byte* known, index_t stride, index_t i) {
  return *detail::typed<std::int64_t>(known + i * stride);
}

bool gives_quantiles(const block_shapes& of) {
  if (of.inputs.size() != 1 || of.outputs.size() != 1 || of.inputs[0].empty()) return false;
  const places& sought = places_in(of.parameters);
  index_vector made(of.inputs[0].begin(), of.inputs[0].end() - 1);
  if (sought.quantiles.has_axis) made.push_back(static_cast<index_t>(sought.quantiles.q.size()));
  return sought.run == 0 && of.outputs[0] == made &&
         of.inputs[0].back() == order_search::length_of_known(sought.count());
}

/// The places of a line, which the kernel holds by itself.
std::size_t bytes_of_places(const block_shapes& of) {
  return static_cast<std::size_t>(places_in(of.parameters).count()) * sizeof(index_t);
}

template <class T>
class quantiles_found {
 public:
  using result = floating_t<T>;
  static constexpr const char* label = "quantile";

  static void run(const block_call& call) {
    const block_input& known = call.inputs[0];
    const block_output& made = call.outputs[0];
    const places& sought = places_in(call.parameters);
    const index_vector lines(known.extents.begin(), known.extents.end() - 1);
    const index_t made_stride = sought.quantiles.has_axis ? made.strides.back() : 0;
    std::vector<index_t> wanted;
    index_vector position(lines.size());
    do {
      const std::byte* from = known.data;
      std::byte* to = made.data;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        from += position[k] * known.strides[k];
        to += position[k] * made.strides[k];
      }
      find(sought, from, known.strides.back(), to, made_stride, wanted);
    } while (!lines.empty() && next_position(position, lines));
  }

 private:
  static void find(const places& sought, const std::byte* known, index_t stride, std::byte* made,
                   index_t made_stride, std::vector<index_t>& wanted) {
    const index_t size = known_at(known, stride, 0);
    if (size > 0) detail::find_places(sought, size, wanted);
    const auto element = [&](index_t place) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), place) - wanted.begin();
      const auto key = static_cast<detail::key_t<T>>(known_at(known, stride, 1 + 2 * at));
      return static_cast<double>(static_cast<detail::compared_t<T>>(detail::element_of<T>(key)));
    };
    for (std::size_t i = 0; i < sought.quantiles.q.size(); ++i) {
      auto& to = *detail::typed<result>(made + static_cast<index_t>(i) * made_stride);
      if (size == 0) {
        to = std::numeric_limits<result>::quiet_NaN();
        continue;
      }
      const detail::place_in_order place = detail::place_of(sought.quantiles, i, size);
      const double below = element(place.index);
      const double above = place.fraction == 0 ? below : element(place.index + 1);
      to =
          static_cast<result>(detail::interpolated(sought.quantiles, below, above, place.fraction));
    }
  }
};

template <class T>
const block_kernel& quantile_kernel() {
  using found = quantiles_found<T>;
  static const std::string name = "quantile found<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = found::label,
                                   .inputs = {dtype::int64},
                                   .outputs = {dtype_of<typename found::result>},
                                   .run = &found::run,
                                   .takes = &gives_quantiles,
                                   .workspace = &bytes_of_places,
                                   .restore = &detail::restore_places,
                                   .is_separable = true};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

const bool are_known = [] {
  for (const dtype type : detail::ordered_dtypes) {
    static_cast<void>(order_search::quantile(type));
  }
  return true;
}();

}  // namespace

const block_kernel& order_search::quantile(dtype type) {
  static_cast<void>(are_known);
  return detail::ordered_kernel("quantile", type, []<class T>(type_tag<T>) -> const block_kernel& {
    return quantile_kernel<T>();
  });
}

kernel_parameters order_search::places_parameters(const places& sought) {
  return {sought, detail::identity_of(sought)};
}

}  // namespace tessera
