// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/commands.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

namespace tessera::slurm {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A reason for which a job waits for ever, by the beginning of Slurm's text.
struct known_reason {
  std::string_view beginning;
  std::string_view words;
  bool may_pass = false;
};

constexpr std::array known_reasons{
    known_reason{"JobHeld", "was held", true},
    known_reason{"Dependency_never_satisfied",
                 "cannot run: a dependency of it can never be satisfied"},
    known_reason{"DependencyNeverSatisfied",
                 "cannot run: a dependency of it can never be satisfied"},
    known_reason{"PartitionTimeLimit", "cannot run: its time is more than its partition allows"},
    known_reason{"PartitionNodeLimit", "cannot run: its partition does not have such nodes"},
    known_reason{"BadConstraints", "cannot run: no node has what it asks for"},
    known_reason{"InvalidAccount", "cannot run: its account is not valid"},
    known_reason{"InvalidQOS", "cannot run: its quality of service is not valid"}};

std::string describe_end(const queued_element& element, std::string_view printed) {
  if (const auto hindered = find_hindrance(element)) return hindered->why;
  if (element.state == "CANCELLED") return "was cancelled";
  if (element.state == "TIMEOUT") return "ran into its time limit";
  if (element.state == "NODE_FAIL" || element.state == "BOOT_FAIL") return "was lost with its node";
  if (element.state == "PREEMPTED") return "was preempted";
  // Without control groups, a kill by Slurm's memory limit looks like any `kill -9`.
  if (element.state == "OUT_OF_MEMORY" || contains(printed, "Exceeded job memory limit")) {
    return "was killed for using more memory than it asked for";
  }
  if (element.state.empty()) return "is no longer known to Slurm";
  return job_arrays::describe_exit(element.exit_status);
}

}  // namespace

bool is_outage(std::string_view complaint) {
  // Texts of slurm_strerror, which have been stable over many versions.
  constexpr std::array<std::string_view, 9> signs{"Unable to contact slurm controller",
                                                  "Socket timed out",
                                                  "Connection refused",
                                                  "Connection reset",
                                                  "connect failure",
                                                  "Zero Bytes were transmitted",
                                                  "Transport endpoint is not connected",
                                                  "temporarily un",
                                                  "in standby mode"};
  return std::any_of(signs.begin(), signs.end(),
                     [complaint](std::string_view sign) { return contains(complaint, sign); });
}

std::vector<queued_element> parse_queue(const std::string& text) {
  std::vector<queued_element> elements;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    queued_element parsed;
    if (in >> parsed.element >> parsed.exit_status >> parsed.state >> std::ws &&
        std::getline(in, parsed.reason, '|') && in >> parsed.array) {
      elements.push_back(std::move(parsed));
    }
  }
  return elements;
}

std::optional<std::size_t> parse_config(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string name;
    std::string equals;
    std::size_t value = 0;
    if (in >> name >> equals >> value && name == key && equals == "=") return value;
  }
  return std::nullopt;
}

bool has_ended(std::string_view state) {
  constexpr std::array<std::string_view, 10> ended{
      "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  return std::find(ended.begin(), ended.end(), state) != ended.end();
}

std::optional<hindrance> find_hindrance(const queued_element& element) {
  if (element.state != "PENDING" && element.state != "CANCELLED") return std::nullopt;
  for (const known_reason& known : known_reasons) {
    // A cancelled job keeps its reason from the time of its cancellation.
    if (!element.reason.starts_with(known.beginning)) continue;
    return hindrance{fmt::format("{} ({})", known.words, element.reason), known.may_pass};
  }
  return std::nullopt;
}

std::string describe_loss(const queued_element& element, std::string_view printed) {
  return job_arrays::with_last_line(describe_end(element, printed), printed);
}

}  // namespace tessera::slurm
