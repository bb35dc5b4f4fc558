// SPDX-License-Identifier: Apache-2.0
#include "executor/array/worker.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include "core/api/host_name.hpp"
#include "core/api/resident_library.hpp"
#include "executor/array/array_folder.hpp"
#include "executor/array/look_timer.hpp"
#include "executor/build_id.hpp"
#include "executor/task_limits.hpp"
#include "executor/unfit_worker.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <system_error>
#include <utility>

namespace tessera::job_arrays {

namespace {

/// The argument of the role: "<variable>[-<first>]:<folder>".
struct worker_argument {
  /// The environment variable with the element's number, and the number of the first element.
  std::string variable;
  std::size_t first = 0;
  /// A path, or the URL of a store.
  std::string folder;
};

bool parse_number(std::string_view text, std::size_t& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && stop == end;
}

worker_argument parse_argument(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::size_t dash = std::min(text.find('-'), colon);
  worker_argument argument{text.substr(0, dash), 0, text.substr(std::min(colon + 1, text.size()))};
  const std::string first = text.substr(dash, colon - dash);
  if (argument.variable.empty() || argument.folder.empty() ||
      (!first.empty() && !parse_number(std::string_view(first).substr(1), argument.first))) {
    throw unfit_worker(fmt::format("\"{}\" names no variable and no folder of an array", text));
  }
  return argument;
}

std::size_t element_from_environment(const worker_argument& argument, const array_order& order) {
  const char* text = std::getenv(argument.variable.c_str());
  std::size_t number = 0;
  if (text != nullptr && parse_number(text, number) && number >= argument.first &&
      number - argument.first < order.batches.size()) {
    return number - argument.first;
  }
  throw unfit_worker(fmt::format("{}, which is {}, names no element of this array",
                                 argument.variable, text != nullptr ? text : "not set"));
}

/// Lets the system end this process with its parent, if the environment asks for it. Launchers may
/// be killed and leave the programs that they have started.
void die_with_parent() {
  const char* text = std::getenv("TESSERA_WORKER_DIES_WITH_PARENT");
  if (text != nullptr && std::string_view(text) == "1") prctl(PR_SET_PDEATHSIG, SIGKILL);
}

std::int64_t system_nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Tells whether the run was cancelled. It looks for the marker once in a period.
class cancellation {
 public:
  explicit cancellation(const message_folder& run)
      : run_(run), timer_(run.periods().cancellation) {}

  [[nodiscard]] bool is_requested() {
    return timer_.is_due(std::chrono::steady_clock::now()) && run_.exists(cancelled_file);
  }

 private:
  const message_folder& run_;
  look_timer timer_;
};

/// Runs the tasks of a batch in order up to the first failure, and counts them in `report`.
void run_tasks(workload& work, const array_order& order, std::size_t element, task_limits& limits,
               cancellation& stop, progress_file& progress, element_report& report) {
  const auto [first, last] = order.batches[element];
  while (first + report.done < last && !stop.is_requested()) {
    limits.apply(order.operation, order.task_memory);
    limits.reset_peak();
    work.run(order.operation, first + report.done, element % order.num_workers);
    report.peak_memory = std::max(report.peak_memory, limits.peak().count());
    progress.write(++report.done);
  }
}

element_report run_element(const array_folder& folder, const array_order& order,
                           std::size_t element) {
  element_report report;
  report.started = system_nanoseconds();
  report.host = host_name();
  cancellation stop(folder.run());
  // After a restart by the system, the element does not repeat its finished tasks.
  report.done = folder.read_progress(element);
  const bool is_first_start = report.done == 0;
  progress_file progress = folder.begin(element, report.done);
  task_limits limits;
  const traffic before = traffic_of_thread();
  try {
    const auto work = take_over(read_recipe(folder.run(), recipe_file));
    run_tasks(*work, order, element, limits, stop, progress, report);
  } catch (...) {
    // The message of the failure needs memory.
    limits.lift();
    report.failure = encode_failure(std::current_exception());
    report.peak_memory = std::max(report.peak_memory, limits.peak().count());
  }
  limits.lift();
  if (is_first_start) report.moved = traffic_of_thread().since(before);
  report.ended = system_nanoseconds();
  return report;
}

/// Returns the order of the array.
///
/// Throws: unfit_worker <- this program is another build than the driver, or finds no order.
///         store_error <- a store fails, and may answer later.
array_order accepted_order(const array_folder& folder) {
  try {
    require_build(must_read(folder.run(), build_file));
    return folder.read_order();
  } catch (const store_error& failure) {
    // Another start may succeed.
    if (failure.may_pass()) throw;
    throw unfit_worker(failure.what());
  }
}

void measure(const std::string& location) {
  prepare_resident_libraries();
  const auto folder = open_message_folder(location);
  const auto work = make_workload(read_recipe(*folder, recipe_file));
  write_worker_memory(*folder, reserved_file, memory_of_process());
}

}  // namespace

int play_role(const std::string& argument) {
  if (argument.starts_with(measure_prefix)) {
    measure(argument.substr(std::strlen(measure_prefix)));
    return EXIT_SUCCESS;
  }
  die_with_parent();
  const worker_argument parsed = parse_argument(argument);
  const array_folder folder(parsed.folder);
  const array_order order = accepted_order(folder);
  const std::size_t element = element_from_environment(parsed, order);
  // Before the first limit of a task.
  prepare_resident_libraries();
  // If the node is lost just after the report, the system may restart the element.
  if (!folder.read_report(element)) {
    folder.write_report(element, run_element(folder, order, element));
  }
  return EXIT_SUCCESS;
}

}  // namespace tessera::job_arrays
