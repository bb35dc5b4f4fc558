// SPDX-License-Identifier: Apache-2.0
#include "executor/array/array_folder.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <system_error>
#include <unistd.h>

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

void write_whole_file(const fs::path& path, const std::string& text) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const fs::path beside = fmt::format("{}.{}-{}", path.string(), host, getpid());
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  std::error_code failure;
  if (out) fs::rename(beside, path, failure);
  if (out && !failure) return;
  fs::remove(beside, failure);
  throw store_error("cannot write '" + path.string() + "'", true);
}

std::optional<std::string> read_whole_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string must_read(const fs::path& path) {
  if (auto text = read_whole_file(path)) return std::move(*text);
  throw store_error(
      fmt::format("cannot read '{}', which the driver of a run has written: it has ended, "
                  "or this node does not see its folder",
                  path.string()));
}

void write_recipe(const fs::path& path, const workload_recipe& recipe) {
  write_whole_file(path, recipe.kind + "\n" + recipe.content);
}

workload_recipe read_recipe(const fs::path& path) {
  const std::string text = must_read(path);
  const std::size_t line = std::min(text.find('\n'), text.size());
  return {text.substr(0, line), text.substr(std::min(line + 1, text.size()))};
}

void write_worker_memory(const fs::path& path, const worker_memory& memory) {
  write_whole_file(path, fmt::format("{} {} {}", memory.resident.count(),
                                     memory.address_space.count(), memory.data.count()));
}

std::optional<worker_memory> read_worker_memory(const fs::path& path) {
  std::istringstream in(read_whole_file(path).value_or(""));
  std::uint64_t resident = 0;
  std::uint64_t address_space = 0;
  std::uint64_t data = 0;
  if (!(in >> resident >> address_space >> data)) return std::nullopt;
  return worker_memory{bytes{resident}, bytes{address_space}, bytes{data}};
}

progress_file::progress_file(const fs::path& path, index_t done) : out_(path) { write(done); }

void progress_file::write(index_t done) {
  out_.seekp(0);
  out_ << done << '\n' << std::flush;
}

fs::path array_folder::file(std::size_t element, const char* extension) const {
  return path_ / (std::to_string(element) + extension);
}

void array_folder::write_order(const array_order& order) const {
  std::error_code failure;
  fs::create_directories(path_, failure);
  std::string text =
      fmt::format("{} {} {}\n", order.operation, order.task_memory.count(), order.num_workers);
  for (const auto& [first, last] : order.batches) text += fmt::format("{} {}\n", first, last);
  write_whole_file(path_ / order_file, text);
}

array_order array_folder::read_order() const {
  std::istringstream in(must_read(path_ / order_file));
  array_order order;
  std::uint64_t memory = 0;
  in >> order.operation >> memory >> order.num_workers;
  order.task_memory = bytes{memory};
  for (task_range batch; in >> batch.first >> batch.last;) order.batches.push_back(batch);
  return order;
}

void array_folder::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

progress_file array_folder::begin(std::size_t element, index_t done) const {
  return {file(element, progress_extension), done};
}

index_t array_folder::read_progress(std::size_t element) const {
  index_t done = 0;
  std::ifstream(file(element, progress_extension)) >> done;
  return done;
}

// Format: a line of numbers, a line of the traffic, empty if it is not known, and the failure.
void array_folder::write_report(std::size_t element, const element_report& report) const {
  const std::string moved = report.moved ? text_of(*report.moved) : std::string();
  write_whole_file(file(element, report_extension),
                   fmt::format("{} {} {} {}\n{}\n{}", report.done, report.started, report.ended,
                               report.peak_memory, moved, report.failure));
}

std::optional<element_report> array_folder::read_report(std::size_t element) const {
  std::ifstream in(file(element, report_extension), std::ios::binary);
  element_report report;
  if (!(in >> report.done >> report.started >> report.ended >> report.peak_memory)) return {};
  in.get();
  std::string line;
  std::getline(in, line);
  report.moved = parse_traffic(line);
  report.failure.assign(std::istreambuf_iterator<char>(in), {});
  return report;
}

array_folder::element_states array_folder::look() const {
  element_states states;
  std::error_code failure;
  for (auto file = fs::directory_iterator(path_, failure); file != fs::directory_iterator();
       file.increment(failure)) {
    std::istringstream name(file->path().filename().string());
    std::size_t element = 0;
    std::string extension;
    if (!(name >> element >> extension)) continue;
    if (extension == report_extension) states.ended.push_back(element);
    if (extension == progress_extension) states.started.push_back(element);
  }
  return states;
}

std::string array_folder::last_output(std::size_t element) const {
  constexpr std::streamoff length = 4096;
  std::ifstream in(file(element, output_extension), std::ios::ate);
  in.seekg(std::max<std::streamoff>(0, in.tellg() - length));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace tessera::job_arrays
