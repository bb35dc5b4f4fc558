// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_folder.hpp"

#include "tessera/core/error.hpp"

#include "core/api/host_name.hpp"
#include "core/api/location_names.hpp"
#include "executor/array/directory_messages.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <utility>

namespace tessera::job_arrays {

namespace {

namespace fs = std::filesystem;
constexpr auto order_file = "order";
constexpr auto progress_extension = ".progress";
constexpr auto report_extension = ".report";

/// Returns the traffic as a line of numbers.
std::string text_of(const traffic& moved) {
  return fmt::format("{} {} {} {} {} {} {}", moved.read.count(), moved.written.count(),
                     moved.requests, moved.encoded_read.count(), moved.encoded_written.count(),
                     moved.storage_time.count(), moved.codec_time.count());
}

/// Returns the traffic of a line by `text_of`, or nullopt if it is none.
std::optional<traffic> parse_traffic(const std::string& line) {
  std::istringstream numbers(line);
  std::array<std::uint64_t, 5> counts{};
  std::array<std::int64_t, 2> times{};
  for (std::uint64_t& count : counts) numbers >> count;
  for (std::int64_t& time : times) numbers >> time;
  if (!numbers) return std::nullopt;
  return traffic{.read = bytes{counts[0]},
                 .written = bytes{counts[1]},
                 .requests = counts[2],
                 .encoded_read = bytes{counts[3]},
                 .encoded_written = bytes{counts[4]},
                 .storage_time = std::chrono::nanoseconds(times[0]),
                 .codec_time = std::chrono::nanoseconds(times[1])};
}

}  // namespace

std::string must_read(const message_folder& folder, std::string_view key) {
  if (auto text = folder.get(key)) return std::move(*text);
  throw store_error(
      fmt::format("cannot read '{}', which the driver of a run has written: it has ended, "
                  "or this node does not see its folder",
                  name_in(folder.location(), key)));
}

void write_recipe(const message_folder& folder, std::string_view key,
                  const workload_recipe& recipe) {
  folder.put(key, recipe.kind + "\n" + recipe.content);
}

void write_recipe(const fs::path& path, const workload_recipe& recipe) {
  write_recipe(directory_messages(path.parent_path()), path.filename().string(), recipe);
}

workload_recipe read_recipe(const message_folder& folder, std::string_view key) {
  const std::string text = must_read(folder, key);
  const std::size_t line = std::min(text.find('\n'), text.size());
  return {text.substr(0, line), text.substr(std::min(line + 1, text.size()))};
}

workload_recipe read_recipe(const fs::path& path) {
  return read_recipe(directory_messages(path.parent_path()), path.filename().string());
}

void write_worker_memory(const message_folder& folder, std::string_view key,
                         const worker_memory& memory) {
  folder.put(key, fmt::format("{} {} {}", memory.resident.count(), memory.address_space.count(),
                              memory.data.count()));
}

std::optional<worker_memory> read_worker_memory(const message_folder& folder,
                                                std::string_view key) {
  std::istringstream in(folder.get(key).value_or(""));
  std::uint64_t resident = 0;
  std::uint64_t address_space = 0;
  std::uint64_t data = 0;
  if (!(in >> resident >> address_space >> data)) return std::nullopt;
  return worker_memory{bytes{resident}, bytes{address_space}, bytes{data}};
}

array_folder::array_folder(const std::string& location) {
  split_location parts = split_folder(location);
  run_ = open_message_folder(parts.parent);
  name_ = std::move(parts.name);
}

std::string array_folder::location() const { return name_in(run_->location(), name_); }

std::string array_folder::key(std::string_view name) const {
  return fmt::format("{}/{}", name_, name);
}

std::string array_folder::key(std::size_t element, const char* extension) const {
  return fmt::format("{}/{}{}", name_, element, extension);
}

void array_folder::write_order(const array_order& order) const {
  run_->make_folder(name_);
  std::string text =
      fmt::format("{} {} {}\n", order.operation, order.task_memory.count(), order.num_workers);
  for (const auto& [first, last] : order.batches) text += fmt::format("{} {}\n", first, last);
  run_->put(key(order_file), text);
}

array_order array_folder::read_order() const {
  std::istringstream in(must_read(*run_, key(order_file)));
  array_order order;
  std::uint64_t memory = 0;
  in >> order.operation >> memory >> order.num_workers;
  order.task_memory = bytes{memory};
  for (task_range batch; in >> batch.first >> batch.last;) order.batches.push_back(batch);
  return order;
}

void array_folder::remove() const { run_->remove_folder(name_); }

progress_file array_folder::begin(std::size_t element, index_t done) const {
  return progress_file(run_->begin_progress(key(element, progress_extension), done, host_name()));
}

index_t array_folder::read_progress(std::size_t element) const {
  index_t done = 0;
  std::istringstream(run_->get(key(element, progress_extension)).value_or("")) >> done;
  return done;
}

std::string array_folder::read_host(std::size_t element) const {
  index_t done = 0;
  std::string host;
  std::istringstream(run_->get(key(element, progress_extension)).value_or("")) >> done >> host;
  return host;
}

// Format: a line of numbers, a line of the traffic, empty if it is not known, a line with the host,
// and the failure.
void array_folder::write_report(std::size_t element, const element_report& report) const {
  const std::string moved = report.moved ? text_of(*report.moved) : std::string();
  run_->put(key(element, report_extension),
            fmt::format("{} {} {} {}\n{}\n{}\n{}", report.done, report.started, report.ended,
                        report.peak_memory, moved, report.host, report.failure));
}

std::optional<element_report> array_folder::read_report(std::size_t element) const {
  auto text = run_->get(key(element, report_extension));
  if (!text) return {};
  std::istringstream in(std::move(*text));
  element_report report;
  if (!(in >> report.done >> report.started >> report.ended >> report.peak_memory)) return {};
  in.get();
  std::string line;
  std::getline(in, line);
  report.moved = parse_traffic(line);
  std::getline(in, report.host);
  report.failure.assign(std::istreambuf_iterator<char>(in), {});
  return report;
}

array_folder::element_states array_folder::look() const {
  element_states states;
  for (std::string& text : run_->names_in(name_)) {
    std::istringstream name(std::move(text));
    std::size_t element = 0;
    std::string extension;
    if (!(name >> element >> extension)) continue;
    if (extension == report_extension) states.ended.push_back(element);
    if (extension == progress_extension) states.started.push_back(element);
  }
  return states;
}

std::string array_folder::last_output(std::size_t element) const {
  constexpr std::size_t length = 4096;
  return run_->get_end(key(element, output_extension), length);
}

}  // namespace tessera::job_arrays
