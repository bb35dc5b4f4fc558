// SPDX-License-Identifier: Apache-2.0
#include "plan/picture.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "core/api/escaped_text.hpp"
#include "core/api/numbered_label.hpp"
#include "plan/api/planned.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/graph.hpp"
#include "plan/labels.hpp"
#include "plan/picture_svg.hpp"
#include "primitive/api/described_stages.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>
#include <spawn.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <vector>

extern char** environ;

namespace tessera {

namespace {

/// A vertex of the picture: one array or operation, or several of one pattern.
struct picture_vertex {
  std::string title;
  std::vector<std::string> details;
  std::string color;
  std::size_t count = 0;
  bool are_equal = true;
  bool is_operation = false;
  bool is_result = false;
  operation_outcome outcome = {};
  bytes size = {};     ///< of all arrays
  double seconds = 0;  ///< of work, of all operations
};

// Bidirectional, because GCC 12 holds the edge iterator of a directed graph for uninitialised.
// The edges of a vertex are a set: if fifty arrays are one vertex, one edge stands for fifty.
using picture =
    boost::adjacency_list<boost::setS, boost::vecS, boost::bidirectionalS, picture_vertex>;

picture_vertex vertex_of(const planned_array& array, bool is_result) {
  const bool is_stored = std::holds_alternative<stored_source>(array.placement) ||
                         std::holds_alternative<stored_placement>(array.placement);
  return {
      .title = words_for(array),
      .details = {fmt::format("{} {}", shortened(array.type.text(), 48), format_shape(array.shape)),
                  fmt::format("chunks {}", format_shape(array.chunks)),
                  shortened(describe_placement(array), 48)},
      .color = is_stored ? "#cfe2f3" : "#ffffff",
      .is_result = is_result,
      .size = array.size()};
}

/// Returns a line for each stage of an operation of several: "step: take, holds 80.0 kB".
std::vector<std::string> stage_lines(const planned_operation& planned,
                                     const numbered<planned_array>& arrays) {
  constexpr std::size_t most_characters = 40;
  const operand_words words = operand_words_of(planned, arrays);
  std::vector<std::string> lines;
  for (const described_stage& stage :
       describe_stages(*planned.op.primitive, planned.op.name, planned.op.schedule, words)) {
    const std::string begin = fmt::format("{}: ", name_of_scope(stage.at));
    const std::string end = stage.buffers == bytes{0}
                                ? std::string()
                                : fmt::format(", holds {}", format_short(stage.buffers));
    const std::size_t width = most_characters - begin.size() - end.size();
    lines.push_back(fmt::format("{}{}{}", begin, shortened(stage.label, width), end));
  }
  return lines;
}

picture_vertex vertex_of(std::size_t number, const bounded_plan::implementation& plan,
                         const costs& figures) {
  const planned_operation& planned = plan.operations[number];
  picture_vertex vertex{.title = numbered_label(number, planned.label),
                        .details = stage_lines(planned, plan.arrays),
                        .color = "#fff2cc",
                        .is_operation = true,
                        .seconds = work_of(planned, figures).count()};
  vertex.details.insert(
      vertex.details.begin(),
      fmt::format("{} task{}, {} each", planned.num_tasks, planned.num_tasks == 1 ? "" : "s",
                  format_short(task_memory(planned, plan.spec))));
  return vertex;
}

/// Returns the vertex of each array, then of each operation.
std::vector<picture_vertex> vertices_of(const bounded_plan::implementation& plan,
                                        const std::vector<operation_outcome>& outcomes) {
  std::vector<picture_vertex> vertices;
  const costs figures = costs_on(plan.spec, plan.workers);
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    const bool is_result =
        std::find(plan.outputs.begin(), plan.outputs.end(), i) != plan.outputs.end();
    vertices.push_back(vertex_of(plan.arrays[i], is_result));
  }
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    vertices.push_back(vertex_of(i, plan, figures));
    if (i < outcomes.size()) vertices.back().outcome = outcomes[i];
  }
  return vertices;
}

/// Numbers texts: equal texts have equal numbers.
class numbering {
 public:
  std::size_t operator()(const std::string& text) {
    return numbers_.emplace(text, numbers_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

/// Returns the number of the group of each vertex. Vertices of one group have the same text up to
/// numbers, and predecessors and successors of the same groups.
std::vector<std::size_t> groups_of(const bounded_plan::implementation& plan,
                                   const std::vector<picture_vertex>& vertices) {
  numbering number;
  std::vector<std::size_t> groups;
  for (const picture_vertex& vertex : vertices) {
    groups.push_back(number(fmt::format(
        "{} {} {}", pattern_of(vertex.title),
        pattern_of(fmt::format("{}", fmt::join(vertex.details, "|"))), vertex.is_result)));
  }
  const std::size_t num_arrays = plan.arrays.size();
  // Forwards, in topological order: operations are refined by the groups of their inputs, arrays by
  // the group of their producer.
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    std::string text = fmt::format("{} computed from", groups[num_arrays + i]);
    for (const auto& input : plan.operations[i].inputs) {
      text += fmt::format(" {}", groups[input.array]);
    }
    groups[num_arrays + i] = number(text);
    for (const auto& output : plan.operations[i].outputs) {
      groups[output.array] =
          number(fmt::format("{} computed by {}", groups[output.array], groups[num_arrays + i]));
    }
  }
  // Backwards: arrays are refined by the groups of their readers, operations by their outputs.
  std::vector<std::set<std::size_t>> readers(num_arrays);
  for (std::size_t i = plan.operations.size(); i-- > 0;) {
    std::string text = fmt::format("{} makes", groups[num_arrays + i]);
    for (const auto& output : plan.operations[i].outputs) {
      text += fmt::format(" {} read by {},", groups[output.array],
                          fmt::join(readers[output.array], " "));
    }
    groups[num_arrays + i] = number(text);
    for (const auto& input : plan.operations[i].inputs) {
      readers[input.array].insert(groups[num_arrays + i]);
    }
  }
  for (std::size_t i = 0; i < num_arrays; ++i) {
    groups[i] = number(fmt::format("{} read by {}", groups[i], fmt::join(readers[i], " ")));
  }
  return groups;
}

picture draw(const bounded_plan::implementation& plan,
             const std::vector<operation_outcome>& outcomes) {
  const std::vector<picture_vertex> vertices = vertices_of(plan, outcomes);
  const std::vector<std::size_t> groups = groups_of(plan, vertices);
  picture graph_drawn;
  std::map<std::size_t, picture::vertex_descriptor> vertex_of_group;
  std::vector<picture::vertex_descriptor> drawn_vertices;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto known = vertex_of_group.find(groups[i]);
    drawn_vertices.push_back(known != vertex_of_group.end()
                                 ? known->second
                                 : boost::add_vertex(vertices[i], graph_drawn));
    vertex_of_group.emplace(groups[i], drawn_vertices.back());
    picture_vertex& shown = graph_drawn[drawn_vertices.back()];
    shown.are_equal = shown.are_equal && shown.title == vertices[i].title;
    shown.outcome.is_resumed |= vertices[i].outcome.is_resumed;
    shown.outcome.has_failed |= vertices[i].outcome.has_failed;
    if (shown.count++ == 0) continue;
    shown.size += vertices[i].size;
    shown.seconds += vertices[i].seconds;
  }
  const array_graph& graph = plan.graph->graph;
  const auto vertex_in_picture = [&](vertex v) {
    return drawn_vertices[graph[v].number + (is_operation(graph, v) ? plan.arrays.size() : 0)];
  };
  for (auto [edge, last] = boost::edges(graph); edge != last; ++edge) {
    boost::add_edge(vertex_in_picture(boost::source(*edge, graph)),
                    vertex_in_picture(boost::target(*edge, graph)), graph_drawn);
  }
  return graph_drawn;
}

std::string title_of(const picture_vertex& vertex) {
  return times(vertex.title, vertex.count, vertex.are_equal, 80);
}

void write_vertex(std::ostream& out, const picture_vertex& vertex) {
  out << "[label=<<b>" << markup_text(title_of(vertex)) << "</b>";
  for (const std::string& detail : vertex.details) {
    out << R"(<br/><font point-size="11" color="#404040">)" << markup_text(detail) << "</font>";
  }
  out << ">, style=\"filled" << (vertex.is_operation ? ",rounded" : "") << "\", fillcolor=\""
      << vertex.color << "\"" << (vertex.is_result ? ", penwidth=2.5" : "") << "]";
}

std::string to_dot(const bounded_plan::implementation& plan) {
  const picture graph_drawn = draw(plan, {});
  std::ostringstream out;
  boost::write_graphviz(
      out, graph_drawn, [&](std::ostream& to, auto v) { write_vertex(to, graph_drawn[v]); },
      boost::default_writer(),
      [](std::ostream& to) {
        to << R"(graph [fontname="Helvetica", nodesep=0.3, ranksep=0.4];
node [shape=box, fontname="Helvetica", fontsize=13, margin="0.15,0.08", color="#404040"];
edge [color="#404040", arrowsize=0.8];
)";
      });
  return out.str();
}

void write_text(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (file) return;
  const int reason = errno;
  throw store_error(fmt::format("visualize: the file '{}' cannot be written: {}{}", path,
                                std::generic_category().message(reason),
                                reason == ENOENT ? "; make its folder first" : ""));
}

/// Returns the extension of a file's name, or an empty text if it has none.
std::string ending_of(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;  // 0 if there is no folder
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos || dot <= name ? "" : path.substr(dot + 1);
}

/// Runs Graphviz's `dot`. Returns false if it is not installed or fails.
bool render(const std::string& dot_path, const std::string& path) {
  std::string format = "-T" + ending_of(path);
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

std::string to_svg(const bounded_plan::implementation& plan,
                   const std::vector<operation_outcome>& outcomes) {
  const picture graph = draw(plan, outcomes);
  double all_seconds = 0;
  std::vector<picture_box> boxes;
  std::map<picture::vertex_descriptor, std::size_t> box_of;
  const auto is_line = [&](picture::vertex_descriptor v) {
    return !graph[v].is_operation && !graph[v].is_result && boost::in_degree(v, graph) > 0 &&
           boost::out_degree(v, graph) > 0;
  };
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    all_seconds += graph[*v].seconds;
    if (is_line(*v)) continue;
    box_of[*v] = boxes.size();
    boxes.push_back({title_of(graph[*v]), graph[*v].details, graph[*v].color,
                     graph[*v].is_operation, graph[*v].is_result, graph[*v].outcome,
                     graph[*v].seconds});
  }
  for (picture_box& box : boxes) box.share = all_seconds > 0 ? box.share / all_seconds : 0;
  std::vector<picture_array> lines;
  const auto add_line = [&](auto from, auto to, const picture_vertex& array) {
    lines.push_back({box_of.at(from), box_of.at(to), array.size,
                     fmt::format("{}: {}, {}", title_of(array), format_short(array.size),
                                 fmt::join(array.details, ", "))});
  };
  for (auto [edge, last] = boost::edges(graph); edge != last; ++edge) {
    const auto from = boost::source(*edge, graph);
    const auto to = boost::target(*edge, graph);
    if (!is_line(from) && !is_line(to)) {
      add_line(from, to, graph[from].is_operation ? graph[to] : graph[from]);
    }
    if (!is_line(from)) continue;
    for (auto [input, end] = boost::in_edges(from, graph); input != end; ++input) {
      add_line(boost::source(*input, graph), to, graph[from]);
    }
  }
  return picture_svg(boxes, lines);
}

void draw_outcome(const bounded_plan& plan, const std::vector<operation_outcome>& outcomes,
                  const std::string& path) {
  write_text(path, to_svg(plan.inside(), outcomes));
}

std::string bounded_plan::visualize(const std::string& path) const {
  const std::string ending = ending_of(path);
  if (ending == "svg") {
    write_text(path, to_svg(*implementation_));
    return path;
  }
  const std::string text = to_dot(*implementation_);
  if (ending == "dot" || ending.empty()) {
    write_text(path, text);
    return path;
  }
  const std::string dot_path = path + ".dot";
  write_text(dot_path, text);
  if (!render(dot_path, path)) return dot_path;
  static_cast<void>(std::remove(dot_path.c_str()));
  return path;
}

}  // namespace tessera
