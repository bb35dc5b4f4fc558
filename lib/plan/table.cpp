// SPDX-License-Identifier: Apache-2.0
#include "core/api/numbered_label.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/labels.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A row of the table: one operation, or several of one pattern, with the sums of their figures.
struct operation_row {
  std::size_t number = 0;  ///< of the first one
  std::string first;
  std::size_t count = 0;
  bool are_equal = true;
  index_t num_tasks = 0;
  bytes memory;
  bytes reads;
  bytes writes;
};

std::vector<operation_row> operation_rows(const bounded_plan::implementation& plan) {
  std::vector<operation_row> rows;
  std::map<std::string, std::size_t> row_of_key;
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const planned_operation& planned = plan.operations[i];
    const bytes memory = task_memory(planned, plan.spec);
    const std::string key =
        fmt::format("{}|{}|{}|{}|{}", pattern_of(planned.label), planned.num_tasks, memory.count(),
                    planned.bytes_read.count(), planned.bytes_written.count());
    const auto [entry, is_new] = row_of_key.emplace(key, rows.size());
    if (is_new)
      rows.push_back(
          {.number = i, .first = planned.label, .memory = memory, .reads = {}, .writes = {}});
    operation_row& row = rows[entry->second];
    ++row.count;
    row.are_equal = row.are_equal && row.first == planned.label;
    row.num_tasks += planned.num_tasks;
    row.reads += planned.bytes_read;
    row.writes += planned.bytes_written;
  }
  return rows;
}

/// A row of the results: one array, or several of one pattern, with the sum of their sizes.
struct result_row {
  std::string first;
  std::string location;
  std::size_t count = 0;
  bool are_equal = true;
  bool is_one_location = true;
  bytes size;
};

/// Returns the requested arrays, in the order of the request.
std::vector<result_row> result_rows(const bounded_plan::implementation& plan) {
  std::vector<result_row> rows;
  std::map<std::string, std::size_t> row_of_key;
  for (const std::size_t output : plan.outputs) {
    const planned_array& array = plan.arrays[output];
    const std::string location = describe_placement(array);
    const std::string key = fmt::format("{}|{}|{}", pattern_of(words_for(array)),
                                        pattern_of(location), array.size().count());
    const auto [entry_of_key, is_new] = row_of_key.emplace(key, rows.size());
    if (is_new) rows.push_back({.first = words_for(array), .location = location, .size = {}});
    result_row& row = rows[entry_of_key->second];
    ++row.count;
    row.are_equal = row.are_equal && row.first == words_for(array);
    row.is_one_location = row.is_one_location && row.location == location;
    row.size += array.size();
  }
  return rows;
}

std::string line(std::string_view names, std::size_t width, std::string_view tasks,
                 std::string_view memory, std::string_view reads, std::string_view writes) {
  return fmt::format("{:<{}} {:>10} {:>9} {:>9} {:>9}\n", names, width, tasks, memory, reads,
                     writes);
}

/// Returns the width of the first column.
std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 28;
  for (const std::string& label : names) width = std::max(width, label.size());
  return width;
}

std::string results_text(const std::vector<result_row>& rows, std::size_t width) {
  std::string text = fmt::format("\n{:<{}} {:>10}  {}\n", "result", width, "size", "place");
  for (const result_row& row : rows) {
    text += fmt::format("{:<{}} {:>10}  {}{}\n", times(row.first, row.count, row.are_equal), width,
                        format_short(row.size), row.location, row.is_one_location ? "" : ", ...");
  }
  return text;
}

/// Returns `parts`, separated by commas, in lines that begin at column `start` and end on the page.
std::string wrapped(const std::string& parts, std::size_t start) {
  constexpr std::size_t page = 120;
  std::string text;
  std::size_t column = start;
  for (std::size_t first = 0; first < parts.size();) {
    const std::size_t comma = parts.find(", ", first);
    const std::size_t last = comma == std::string::npos ? parts.size() : comma + 1;
    if (column > start && column + 1 + last - first > page) {
      text += fmt::format("\n{:{}}", "", start);
      column = start;
    }
    if (column > start) text += " ";
    text += parts.substr(first, last - first);
    column += last - first + 1;
    first = last + 1;
  }
  return text;
}

/// Returns the memory of the plan and its limits as text.
std::string memory_text(const bounded_plan& plan, std::size_t width) {
  const auto row = [width](std::string_view of, bytes memory, std::string_view rest) {
    return fmt::format("{:<{}} {:>10}  {}\n", of, width, format_short(memory), rest);
  };
  const spec& limits = plan.spec();
  const memory_bound bound = plan.bound();
  const std::string parts = wrapped(bound.terms(), width + 13);
  const std::string reserved =
      limits.reserved_memory.count() == 0
          ? std::string()
          : fmt::format(", {} reserved included", format_short(limits.reserved_memory));
  return fmt::format("\n{:<{}} {:>10}\n", "memory", width, "at most") +
         row("of a task", plan.projected_memory(),
             fmt::format("of {} allowed{}", format_short(limits.allowed_memory), reserved)) +
         row("between tasks", plan.resident_memory(), "results and intermediates in memory") +
         row("at once", bound.total(), parts);
}

}  // namespace

std::string bounded_plan::to_string() const {
  const std::vector<operation_row> rows = operation_rows(*implementation_);
  const std::vector<result_row> results = result_rows(*implementation_);
  std::vector<std::string> names;
  for (const operation_row& row : rows) {
    names.push_back(times(numbered_label(row.number, row.first), row.count, row.are_equal));
  }
  std::vector<std::string> labels = names;
  for (const result_row& row : results)
    labels.push_back(times(row.first, row.count, row.are_equal));
  const std::size_t width = width_of(labels);
  std::string text = line("operation", width, "tasks", "memory", "reads", "writes");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    text += line(names[i], width, std::to_string(rows[i].num_tasks), format_short(rows[i].memory),
                 format_short(rows[i].reads), format_short(rows[i].writes));
  }
  if (num_operations() > 1) {
    text += line(fmt::format("all {} operations", num_operations()), width,
                 std::to_string(num_tasks()), format_short(projected_memory()),
                 format_short(bytes_read()), format_short(bytes_written()));
  }
  return text + results_text(results, width) + memory_text(*this, width);
}

std::ostream& operator<<(std::ostream& out, const bounded_plan& plan) {
  return out << plan.to_string();
}

}  // namespace tessera
