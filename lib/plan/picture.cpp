// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/planned.hpp"

#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>

extern char** environ;

namespace tessera {

namespace {

struct picture_vertex {
  std::string label;
  std::string shape;
  std::string color;
};

// Bidirectional, because GCC 12 holds the edge iterator of a directed graph for uninitialised.
using picture =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, picture_vertex>;

std::string describe_place(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_source>(&array.place)) return stored->array.name();
  if (std::holds_alternative<memory_source>(array.place)) return "memory of the caller";
  if (std::holds_alternative<generated_source>(array.place)) return "virtual";
  if (std::holds_alternative<memory_place>(array.place)) return "memory";
  return std::get<zarr_place>(array.place).destination.path;
}

std::string color_of(const planned_array& array) {
  if (std::holds_alternative<stored_source>(array.place)) return "lightsteelblue";
  if (std::holds_alternative<zarr_place>(array.place)) return "lightsteelblue";
  return "white";
}

picture draw(const bounded_plan::implementation& plan) {
  picture drawn;
  for (const planned_array& array : plan.arrays) {
    boost::add_vertex(
        {fmt::format("{}\n{} {}\nchunks {}\n{}", array.name, name_of(array.type),
                     format_shape(array.shape), format_shape(array.chunks), describe_place(array)),
         "box", color_of(array)},
        drawn);
  }
  for (const planned_operation& planned : plan.operations) {
    const auto v = boost::add_vertex(
        {fmt::format("{}\n{}\n{} tasks, {} each", planned.what.name, planned.label,
                     planned.num_tasks, format_short(bytes{planned.buffers.peak_bytes()})),
         "ellipse", "lightgoldenrod1"},
        drawn);
    for (const planned_operand& input : planned.inputs) boost::add_edge(input.array, v, drawn);
    for (const planned_result& output : planned.outputs) boost::add_edge(v, output.array, drawn);
  }
  return drawn;
}

std::string to_dot(const bounded_plan::implementation& plan) {
  const picture drawn = draw(plan);
  boost::dynamic_properties properties;
  auto& graph = const_cast<picture&>(drawn);  // dynamic_properties only knows mutable maps
  properties.property("node_id", boost::get(boost::vertex_index, graph));
  properties.property("label", boost::get(&picture_vertex::label, graph));
  properties.property("shape", boost::get(&picture_vertex::shape, graph));
  properties.property("fillcolor", boost::get(&picture_vertex::color, graph));
  properties.property(
      "style", boost::make_constant_property<picture::vertex_descriptor>(std::string("filled")));
  std::ostringstream out;
  boost::write_graphviz_dp(out, graph, properties);
  return out.str();
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw store_error(fmt::format("visualize: the file '{}' cannot be written", path));
}

/// Runs Graphviz's `dot`; returns false where it is not there or fails.
bool render(const std::string& dot_path, const std::string& path) {
  std::string format = "-T" + std::filesystem::path(path).extension().string().substr(1);
  std::string output = "-o" + path;
  std::string input = dot_path;
  std::string program = "dot";
  std::array<char*, 5> arguments{program.data(), format.data(), output.data(), input.data(),
                                 nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "dot", nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string bounded_plan::visualize(const std::string& path) const {
  const std::string text = to_dot(*implementation_);
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".dot" || extension.size() < 2) {
    write_text(path, text);
    return path;
  }
  const std::string dot_path = path + ".dot";
  write_text(dot_path, text);
  if (!render(dot_path, path)) return dot_path;
  std::filesystem::remove(dot_path);
  return path;
}

}  // namespace tessera
