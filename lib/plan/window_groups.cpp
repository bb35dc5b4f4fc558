// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/costs.hpp"
#include "tessera/core/wide_integer.hpp"

#include "plan/window.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Returns the bytes that all tasks read through a window.
double bytes_read(const window_size& size, const array_storage& array) {
  return static_cast<double>(size.chunk_reads) * static_cast<double>(array.cost.decoded) *
         size.part_read;
}

/// What is read in the time that a request waits, of a store of which nothing is said.
double bytes_of_request() {
  constexpr costs figures;
  return figures.wait(1).count() * static_cast<double>(figures.read_bandwidth.count());
}

}  // namespace

std::vector<view_group> grouped(const walk& how, axis_set reduced,
                                const std::vector<window_view>& views,
                                const std::vector<array_storage>& inputs) {
  std::vector<view_group> groups;
  for (const window_view& view : views) {
    const array_storage& array = inputs[view.operand];
    view_group alone;
    alone.views.push_back(view);
    alone.size = measure(how, reduced, alone.views, array);
    const auto takes = [&](view_group& into) {
      const array_storage& other = inputs[into.views.front().operand];
      if (array.array == vertex{} || array.array != other.array) return false;
      if (view.map->behind() != nullptr || into.views.front().map->behind() != nullptr) {
        return false;
      }
      view_group both = into;
      both.views.push_back(view);
      both.size = measure(how, reduced, both.views, array);
      const wide_integer reads = wide_integer{into.size.chunk_reads} + alone.size.chunk_reads;
      const std::size_t itemsize = array.type.size();
      const std::size_t held = into.size.bytes(itemsize) + alone.size.bytes(itemsize);
      const bool reads_less = both.size.chunk_reads < reads;
      const std::size_t most_held = reads_less ? 2 * held + array.cost.decoded : held;
      if (both.size.chunk_reads > reads || both.size.bytes(itemsize) > most_held) return false;
      // Ranges at both ends of a chunk have all of it between them.
      const auto saved = static_cast<double>(reads - both.size.chunk_reads);
      const double apart = bytes_read(into.size, array) + bytes_read(alone.size, array);
      if (bytes_read(both.size, array) > apart + saved * bytes_of_request()) return false;
      into = std::move(both);
      return true;
    };
    if (std::none_of(groups.begin(), groups.end(), takes)) groups.push_back(std::move(alone));
  }
  return groups;
}

std::size_t fastest_axis(const walk& how, axis_set reduced) {
  std::size_t found = no_axis;
  for (const axis_set& axes : {how.ordered, reduced}) {
    for (std::size_t a = 0; a < how.rank(); ++a) {
      if (axes[a] && std::min(how.block[a], how.domain[a]) > how.stream[a]) found = a;
    }
  }
  return found;
}

}  // namespace tessera
