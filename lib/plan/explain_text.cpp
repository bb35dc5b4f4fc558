// SPDX-License-Identifier: Apache-2.0
/// \file
/// Explanations of plans as text.

#include "tessera/plan/plan_explanation.hpp"

#include "core/api/numbered_label.hpp"
#include "core/api/text.hpp"
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
/// The column at which the text of an item begins, after its keyword.
constexpr std::size_t text_margin = 12;
/// Reads are marked if they exceed the needed bytes by this factor.
constexpr double marked_share = 1.5;

std::string counted(index_t count, std::string_view unit) {
  return fmt::format("{} {}{}", with_commas(count), unit, count == 1 ? "" : "s");
}

/// Returns `text` after the keyword `word`, wrapped between words.
std::string item(std::string_view word, std::string_view text) {
  std::string lines = fmt::format("    {:<{}}", word, text_margin - 4);
  std::size_t column = lines.size();
  bool is_first = true;
  std::istringstream words{std::string(text)};
  for (std::string next; words >> next; is_first = false) {
    if (!is_first && column + 1 + next.size() > page) {
      lines += fmt::format("\n{:{}}", "", text_margin);
      column = text_margin;
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

std::string access_text(const explained::access& entry, std::string_view way) {
  const std::string name = name_of(entry.array, entry.count);
  if (entry.num_requests == 0) {
    if (entry.moved == bytes{0}) return fmt::format("{}: {}", name, entry.place);
    return fmt::format("{}: {} {} {}", name, format_short(entry.moved), way, entry.place);
  }
  std::string text = fmt::format("{}: {} {} {}, {}", name, format_short(entry.moved), way,
                                 entry.place, counted(entry.num_requests, "request"));
  if (entry.amplification > 0) {
    text += fmt::format(", {:.2f} x what is needed", entry.amplification);
  }
  return text;
}

std::string note_text(const explained::note& entry) {
  return fmt::format("{}: {}{}", entry.pass, entry.text,
                     entry.count > 1 ? fmt::format(" (x {})", entry.count) : "");
}

std::string blocks_of(const explained::operation& entry) {
  std::string text = fmt::format("{} of {}", format_shape(entry.block), format_shape(entry.domain));
  if (entry.blocks_per_task > 1) text += fmt::format(", {} a task", entry.blocks_per_task);
  if (entry.step != entry.block) text += fmt::format(", in steps of {}", format_shape(entry.step));
  return text;
}

/// Returns the number of element steps as text, rounded above 2^53.
std::string elements_of(const plan_cost& cost) {
  constexpr double most_counted = 0x1p53;
  const double count = cost.element_steps;
  if (count <= 0) return "";
  return count < most_counted ? "; " + counted(std::llround(count), "element step")
                              : fmt::format("; {:.3g} element steps", count);
}

std::string stage_text(const explained::stage& entry) {
  return fmt::format(
      "{}: {}{}", entry.scope, entry.label,
      entry.buffers == bytes{0} ? "" : fmt::format(", holds {}", format_short(entry.buffers)));
}

std::string operation_text(const explained::operation& entry) {
  const plan_cost& cost = entry.cost;
  const std::string label = numbered_label(entry.numbers.front(), entry.label);
  std::string text = "  " + times(label, entry.count, entry.are_equal, page - 2) + "\n";
  const std::string wall =
      cost.wall.count() > 0 ? fmt::format(", {} on {}", format_time(cost.wall),
                                          counted(static_cast<index_t>(cost.num_workers), "worker"))
                            : "";
  text += item("tasks", fmt::format("{} of {}, in {}; {} of work, {:.0f} % of all{}",
                                    with_commas(cost.num_tasks), format_short(cost.task),
                                    counted(entry.num_rounds, "round"), format_time(cost.work),
                                    100 * entry.share, wall));
  text += item("blocks", blocks_of(entry) + elements_of(cost));
  for (const explained::stage& stage : entry.stages) text += item("stage", stage_text(stage));
  for (const explained::access& access : entry.reads) {
    text += item(access.amplification > marked_share ? "reads !" : "reads",
                 access_text(access, "from"));
  }
  for (const explained::access& access : entry.writes)
    text += item("writes", access_text(access, "to"));
  for (const explained::note& note : entry.notes) {
    text += item(note.is_done ? "done" : "left", note_text(note));
  }
  return text;
}

std::string source_text(const explained::source& entry) {
  std::string text = fmt::format("{}, {}", entry.place, format_short(entry.size));
  if (entry.bytes_read > bytes{0}) {
    text += fmt::format("; {} read, {:.2f} times as much, by {}", format_short(entry.bytes_read),
                        entry.times_read,
                        counted(static_cast<index_t>(entry.num_readers), "operation"));
  }
  return "  " + name_of(entry.name, entry.count) + "\n" +
         item(entry.times_read > marked_share ? "read !" : "read", text);
}

std::string computed_text(const explained::computed_array& entry) {
  const std::string when =
      entry.is_result
          ? std::string()
          : fmt::format(", from operation {} to {}", entry.first_operation, entry.last_operation);
  return "  " + name_of(entry.name, entry.count) + "\n" +
         item("place", fmt::format("{}, {}{}{}{}", entry.place, format_short(entry.size), when,
                                   entry.reason.empty() ? "" : ": ", entry.reason));
}

std::string attempt_text(const explained::attempt& entry, const plan_cost& cost) {
  const std::string outcome =
      entry.is_chosen
          ? fmt::format("{} of work, {} on {}", format_time(cost.work), format_time(cost.wall),
                        counted(static_cast<index_t>(cost.num_workers), "worker"))
          : entry.why_lost;
  return item(entry.is_chosen ? "chosen" : "lost",
              fmt::format("{}: {}{}", entry.passes, outcome,
                          entry.count > 1 ? fmt::format(" (x {})", entry.count) : ""));
}

/// Adds the change of a figure by a pass; nothing if it did not change.
template <class T>
void add_change(std::string& text, const T& before, const T& after, std::string_view unit) {
  if (before == after) return;
  text += fmt::format("{}{} to {} {}", text.empty() ? "" : ", ", before, after, unit);
}

std::string changes_of(const explained::pass& entry) {
  std::string text;
  add_change(text, entry.before.num_operations, entry.after.num_operations, "operations");
  add_change(text, with_commas(entry.before.num_tasks), with_commas(entry.after.num_tasks),
             "tasks");
  add_change(text, format_short(entry.before.bytes_read), format_short(entry.after.bytes_read),
             "read");
  add_change(text, format_short(entry.before.bytes_written),
             format_short(entry.after.bytes_written), "written");
  add_change(text, with_commas(entry.before.num_requests), with_commas(entry.after.num_requests),
             "requests");
  add_change(text, format_short(entry.before.task), format_short(entry.after.task), "a task");
  add_change(text, format_time(entry.before.work), format_time(entry.after.work), "of work");
  return text;
}

std::string passes_text(const std::vector<explained::pass>& passes) {
  std::string text;
  std::string off;
  std::string idle;
  for (const explained::pass& entry : passes) {
    const std::string changes = changes_of(entry);
    if (changes.empty() && entry.notes.empty()) {
      std::string& names = entry.is_on ? idle : off;
      if ((", " + names + ", ").find(", " + entry.name + ", ") != std::string::npos) continue;
      names += (names.empty() ? "" : ", ") + entry.name;
      continue;
    }
    text += "  " + entry.name + "\n";
    if (!changes.empty()) text += item("changes", changes);
    for (const explained::note& note : entry.notes) {
      // A refusal names its operations itself.
      const std::string name =
          note.is_done ? fmt::format("'{}': ", shortened(note.operation)) : std::string();
      text += item(note.is_done ? "done" : "left",
                   fmt::format("{}{}{}", name, note.text,
                               note.count > 1 ? fmt::format(" (x {})", note.count) : ""));
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
  for (const operation& entry : operations) text += operation_text(entry);
  if (!sources.empty()) text += "\nread from outside\n";
  for (const source& entry : sources) text += source_text(entry);
  text += "\ncomputed\n";
  for (const computed_array& entry : arrays) text += computed_text(entry);
  if (!attempts.empty()) text += "\nattempts\n";
  for (const attempt& entry : attempts) text += attempt_text(entry, cost);
  text += "\npasses\n";
  return text + (passes ? passes_text(*passes)
                        : item("unknown", "the plan comes from a file, which does not tell"));
}

std::ostream& operator<<(std::ostream& out, const plan_explanation& explanation) {
  return out << explanation.to_string();
}

}  // namespace tessera
