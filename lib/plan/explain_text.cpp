// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a plan explains, in lines for people.

#include "tessera/core/text.hpp"
#include "tessera/plan/plan_explanation.hpp"

#include "plan/cost.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

namespace tessera {

namespace {

using explained = plan_explanation;

constexpr std::size_t page = 100;
/// Where what is said of an operation begins, behind the word that says what it is.
constexpr std::size_t margin = 12;
/// What is read more often than this, of what is needed, is marked.
constexpr double often = 1.5;

std::string counted(index_t count, std::string_view unit) {
  return fmt::format("{} {}{}", with_commas(count), unit, count == 1 ? "" : "s");
}

/// Returns lines of `text` behind `word`, which are cut between words.
std::string item(std::string_view word, std::string_view text) {
  std::string lines = fmt::format("    {:<{}}", word, margin - 4);
  std::size_t column = lines.size();
  bool is_first = true;
  std::istringstream words{std::string(text)};
  for (std::string next; words >> next; is_first = false) {
    if (!is_first && column + 1 + next.size() > page) {
      lines += "\n" + std::string(margin, ' ');
      column = margin;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += next;
    column += next.size();
  }
  return lines + "\n";
}

std::string name_of(const std::string& name, std::size_t count, bool are_equal = false) {
  return times(name, count, are_equal);
}

std::string access_text(const explained::access& one, std::string_view way) {
  const std::string name = name_of(one.array, one.count);
  if (one.num_requests == 0) {
    if (one.moved == bytes{0}) return fmt::format("{}: {}", name, one.place);
    return fmt::format("{}: {} {} {}", name, format_short(one.moved), way, one.place);
  }
  std::string text = fmt::format("{}: {} {} {}, {}", name, format_short(one.moved), way, one.place,
                                 counted(one.num_requests, "request"));
  if (one.amplification > 0) {
    text += fmt::format(", {:.2f} x what is needed", one.amplification);
  }
  return text;
}

std::string note_text(const explained::note& one) {
  return fmt::format("{}: {}{}", one.pass, one.text,
                     one.count > 1 ? fmt::format(" (x {})", one.count) : "");
}

std::string steps_of(const explained::operation& one) {
  return one.step == one.block ? "" : fmt::format(", in steps of {}", format_shape(one.step));
}

/// Says how much is computed. More than 2^53 elements are not counted one by one.
std::string elements_of(const plan_cost& cost) {
  constexpr double most_counted = 0x1p53;
  const double count = cost.element_steps;
  if (count <= 0) return "";
  return count < most_counted ? "; " + counted(std::llround(count), "element step")
                              : fmt::format("; {:.3g} element steps", count);
}

std::string operation_text(const explained::operation& one) {
  const plan_cost& cost = one.cost;
  std::string text = "  " + times(one.label, one.count, one.are_equal, page - 2) + "\n";
  const std::string wall =
      cost.wall.count() > 0 ? fmt::format(", {} on {}", format_time(cost.wall),
                                          counted(static_cast<index_t>(cost.num_workers), "worker"))
                            : "";
  text += item("tasks", fmt::format("{} of {}, in {}; {} of work, {:.0f} % of all{}",
                                    with_commas(cost.num_tasks), format_short(cost.task),
                                    counted(one.num_rounds, "round"), format_time(cost.work),
                                    100 * one.share, wall));
  text += item("blocks", fmt::format("{} of {}{}{}", format_shape(one.block),
                                     format_shape(one.domain), steps_of(one), elements_of(cost)));
  for (const explained::access& each : one.reads) {
    text += item(each.amplification > often ? "reads !" : "reads", access_text(each, "from"));
  }
  for (const explained::access& each : one.writes) text += item("makes", access_text(each, "to"));
  for (const explained::note& each : one.notes) {
    text += item(each.is_done ? "done" : "left", note_text(each));
  }
  return text;
}

std::string source_text(const explained::source& one) {
  std::string said = fmt::format("{}, {}", one.place, format_short(one.size));
  if (one.bytes_read > bytes{0}) {
    said +=
        fmt::format("; {} read, {:.2f} times as much, by {}", format_short(one.bytes_read),
                    one.times_read, counted(static_cast<index_t>(one.num_readers), "operation"));
  }
  return "  " + name_of(one.name, one.count) + "\n" +
         item(one.times_read > often ? "read !" : "read", said);
}

std::string made_text(const explained::made& one) {
  const std::string when = one.is_result ? std::string()
                                         : fmt::format(", from operation {} to {}",
                                                       one.first_operation, one.last_operation);
  return "  " + name_of(one.name, one.count) + "\n" +
         item("place", fmt::format("{}, {}{}{}{}", one.place, format_short(one.size), when,
                                   one.why.empty() ? "" : ": ", one.why));
}

/// Says what a pass changed of a figure; nothing where it did not.
template <class T>
void add_change(std::string& text, const T& before, const T& after, std::string_view unit) {
  if (before == after) return;
  text += fmt::format("{}{} to {} {}", text.empty() ? "" : ", ", before, after, unit);
}

std::string changes_of(const explained::pass& one) {
  std::string text;
  add_change(text, one.before.num_operations, one.after.num_operations, "operations");
  add_change(text, with_commas(one.before.num_tasks), with_commas(one.after.num_tasks), "tasks");
  add_change(text, format_short(one.before.bytes_read), format_short(one.after.bytes_read), "read");
  add_change(text, format_short(one.before.bytes_written), format_short(one.after.bytes_written),
             "written");
  add_change(text, with_commas(one.before.num_requests), with_commas(one.after.num_requests),
             "requests");
  add_change(text, format_short(one.before.task), format_short(one.after.task), "a task");
  add_change(text, format_time(one.before.work), format_time(one.after.work), "of work");
  return text;
}

std::string passes_text(const std::vector<explained::pass>& all) {
  std::string text;
  std::string off;
  std::string idle;
  for (const explained::pass& one : all) {
    const std::string changes = changes_of(one);
    if (changes.empty() && one.notes.empty()) {
      std::string& names = one.is_on ? idle : off;
      if ((", " + names + ", ").find(", " + one.name + ", ") != std::string::npos) continue;
      names += (names.empty() ? "" : ", ") + one.name;
      continue;
    }
    text += "  " + one.name + "\n";
    if (!changes.empty()) text += item("changes", changes);
    for (const explained::note& each : one.notes) {
      text += item(each.is_done ? "done" : "left",
                   fmt::format("'{}': {}{}", shortened(each.operation), each.text,
                               each.count > 1 ? fmt::format(" (x {})", each.count) : ""));
    }
  }
  if (!idle.empty()) text += "  the others\n" + item("change", "nothing: " + idle);
  if (!off.empty()) text += "  switched off\n" + item("passes", off);
  return text;
}

}  // namespace

std::string plan_explanation::to_string() const {
  std::string text = "plan\n" + item("cost", fmt::format("{}", fmt::streamed(cost)));
  text += item("task", fmt::format("{} at most, {} are allowed", format_short(task_memory),
                                   format_short(allowed_memory)));
  text += item("host", fmt::format("{} at once: {}", format_short(bound.total()), bound.terms()));
  text += "\noperations\n";
  for (const operation& one : operations) text += operation_text(one);
  if (!sources.empty()) text += "\nread from outside\n";
  for (const source& one : sources) text += source_text(one);
  text += "\nmade\n";
  for (const made& one : arrays) text += made_text(one);
  text += "\npasses\n";
  return text + (passes ? passes_text(*passes)
                        : item("unknown", "the plan comes from a file, which does not tell"));
}

std::ostream& operator<<(std::ostream& out, const plan_explanation& explanation) {
  return out << explanation.to_string();
}

}  // namespace tessera
