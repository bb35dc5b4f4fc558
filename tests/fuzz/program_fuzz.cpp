// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs random programs, drawn from the input: a function of every family over chains of views,
/// lists, masks, repeats and joins. Wrong elements end the run, as a read outside of a buffer does,
/// and as a plan does that takes too many prices.

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"
#include "property/random_program.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace {

namespace ts = tessera;

/// Draws numbers from bytes, and the least when there are none left.
class byte_draw {
 public:
  byte_draw(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  ts::index_t operator()(ts::index_t low, ts::index_t high) {
    if (next_ == size_) return low;
    return low + data_[next_++] % (high - low + 1);
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t next_ = 0;
};

ts::pass_switches draw_passes(byte_draw& draw) {
  const auto is_on = [&draw] { return draw(0, 7) != 7; };
  return {.crop = is_on(),
          .fuse_producers = is_on(),
          .fuse_siblings = is_on(),
          .duplicate = is_on(),
          .fuse_epilogues = is_on(),
          .size_blocks = is_on(),
          .memory_tier = is_on()};
}

/// Ends the run if planning has priced very many operands for each array and operation.
void check_prices(const ts::bounded_plan& plan) {
  constexpr std::size_t most_for_vertex = 5000;
  const ts::array_graph& graph = plan.inside().graph->graph;
  const ts::graph_counts& counts = graph[boost::graph_bundle];
  if (counts.priced_operands <= most_for_vertex * counts.vertices) return;
  std::fprintf(stderr, "%zu operands are priced for %zu arrays and operations\n",
               counts.priced_operands, counts.vertices);
  std::abort();
}

std::string work_dir() {
  static const std::string folder =
      (std::filesystem::temp_directory_path() / "tessera-program-fuzz").string();
  return folder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  byte_draw draw(data, size);
  const ts::pass_switches passes = draw_passes(draw);
  const ts::spec spec{.work_dir = work_dir()};
  random_program::generator programs(draw, spec, passes, {.executor = ts::executors::serial()},
                                     check_prices);
  if (const auto wrong = random_program::difference(programs.next())) {
    std::fprintf(stderr, "%s\n", wrong->c_str());
    std::abort();
  }
  return 0;
}
