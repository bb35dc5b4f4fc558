// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/options.hpp"

#include "tessera/core/error.hpp"

#include "core/api/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using time_family = random_time::family;

constexpr std::string_view engine = "simulated";

constexpr std::array<std::pair<std::string_view, double>, 6> time_units{
    {{"h", 3.6e12}, {"min", 6e10}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};

constexpr std::array<std::pair<std::string_view, time_family>, 4> families{
    {{"uniform", time_family::uniform},
     {"normal", time_family::normal},
     {"lognormal", time_family::lognormal},
     {"exponential", time_family::exponential}}};

template <class Number>
bool read(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && stop == end;
}

bool read(std::string_view text, bool& value) {
  value = text == "yes";
  return value || text == "no";
}

/// Reads a time into nanoseconds.
bool read_time(std::string_view text, double& nanoseconds) {
  const std::size_t begin_of_unit = text.find_first_not_of("0123456789.e+-");
  if (begin_of_unit == std::string_view::npos) return false;
  const auto* const unit =
      std::find_if(time_units.begin(), time_units.end(),
                   [&](const auto& entry) { return entry.first == text.substr(begin_of_unit); });
  if (unit == time_units.end() || !read(text.substr(0, begin_of_unit), nanoseconds)) return false;
  nanoseconds *= unit->second;
  return nanoseconds >= 0 && nanoseconds < 0x1p63;
}

bool read(std::string_view text, session_time& time) {
  double nanoseconds = 0;
  if (!read_time(text, nanoseconds)) return false;
  time = session_time{std::llround(nanoseconds)};
  return true;
}

/// Returns the distribution of a family with the parameters `first` and `second`.
random_time make_time(time_family family, double first, double second) {
  using nanoseconds = random_time::nanoseconds;
  if (family == time_family::uniform)
    return random_time::uniform(nanoseconds{first}, nanoseconds{second});
  if (family == time_family::normal)
    return random_time::normal(nanoseconds{first}, nanoseconds{second});
  if (family == time_family::lognormal) return random_time::lognormal(nanoseconds{first}, second);
  return random_time::exponential(nanoseconds{first});
}

bool read(std::string_view text, random_time& time) {
  double first = 0;
  double second = 0;
  if (read_time(text, first)) {
    time = random_time::nanoseconds{first};
    return true;
  }
  const std::size_t open = text.find('(');
  const auto* const family = std::find_if(families.begin(), families.end(), [&](const auto& entry) {
    return entry.first == text.substr(0, open);
  });
  if (family == families.end() || open == std::string_view::npos || text.back() != ')')
    return false;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const std::size_t comma = inside.find(',');
  if (!read_time(inside.substr(0, comma), first)) return false;
  const bool has_second = comma != std::string_view::npos;
  if (has_second != (family->second != time_family::exponential)) return false;
  if (has_second) {
    const std::string_view rest = inside.substr(comma + 1);
    const bool is_number = family->second == time_family::lognormal;
    if (is_number ? !read(rest, second) : !read_time(rest, second)) return false;
  }
  time = make_time(family->second, first, second);
  return true;
}

bool read(std::string_view text, bytes& per_second) {
  constexpr std::string_view suffix = "/s";
  if (!text.ends_with(suffix)) return false;
  per_second = bytes::parse(text.substr(0, text.size() - suffix.size()));
  return true;
}

bool read(std::string_view text, straggler_rate& stragglers) {
  const std::size_t times = text.find('x');
  return times != std::string_view::npos && read(text.substr(0, times), stragglers.probability) &&
         read(text.substr(times + 1), stragglers.slowness);
}

template <class Number>
std::string write(Number number) {
  return fmt::format("{}", number);
}

std::string write(bool value) { return value ? "yes" : "no"; }

/// Writes nanoseconds in the longest unit from which they are read back exactly.
std::string write_time(double nanoseconds) {
  for (const auto& [unit, factor] : time_units) {
    const double count = nanoseconds / factor;
    if (count >= 1 && count * factor == nanoseconds && std::round(count * 1e3) == count * 1e3) {
      return fmt::format("{}{}", count, unit);
    }
  }
  return fmt::format("{}ns", nanoseconds);
}

std::string write(session_time time) { return write_time(static_cast<double>(time.count())); }

std::string write(const random_time& time) {
  if (time.kind() == time_family::constant) return write_time(time.first());
  const auto* const family = std::find_if(families.begin(), families.end(), [&](const auto& entry) {
    return entry.second == time.kind();
  });
  std::string text = fmt::format("{}({}", family->first, write_time(time.first()));
  if (time.kind() == time_family::lognormal) {
    text += fmt::format(",{}", time.second());
  } else if (time.kind() != time_family::exponential) {
    text += fmt::format(",{}", write_time(time.second()));
  }
  return text + ")";
}

std::string write(bytes per_second) {
  constexpr std::array<std::pair<const char*, std::uint64_t>, 3> units{
      {{"GB", 1'000'000'000}, {"MB", 1'000'000}, {"kB", 1'000}}};
  for (const auto& [unit, factor] : units) {
    const std::uint64_t count = per_second.count() / factor;
    if (count > 0 && count * factor == per_second.count())
      return fmt::format("{}{}/s", count, unit);
  }
  return fmt::format("{}B/s", per_second.count());
}

std::string write(const straggler_rate& stragglers) {
  return fmt::format("{}x{}", stragglers.probability, stragglers.slowness);
}

/// An option by its key.
struct option {
  std::string_view key;
  /// A description of its values, for messages.
  std::string_view form;
  bool (*read)(std::string_view, simulated_options&);
  std::string (*write)(const simulated_options&);
};

template <auto Member>
constexpr option make_option(std::string_view key, std::string_view form) {
  return {
      key, form,
      [](std::string_view text, simulated_options& options) { return read(text, options.*Member); },
      [](const simulated_options& options) { return write(options.*Member); }};
}

constexpr std::string_view any_time =
    "a time, as \"100ms\", or \"uniform(80ms,120ms)\", \"normal(100ms,10ms)\", "
    "\"lognormal(100ms,0.3)\" or \"exponential(100ms)\"";

using fields = simulated_options;
constexpr std::array known_options{
    make_option<&fields::workers>("workers", "a count, as \"1000\""),
    make_option<&fields::start_up>("start_up", any_time),
    make_option<&fields::batch_overhead>("batch_overhead", "a time, as \"10us\""),
    make_option<&fields::task_time>("task_time", any_time),
    make_option<&fields::element_step>("element_step", any_time),
    make_option<&fields::request_time>("request_time", "a time, as \"20us\""),
    make_option<&fields::stragglers>("stragglers", "a probability and a factor, as \"0.01x5\""),
    make_option<&fields::latency>("latency", "a time, as \"20ms\""),
    make_option<&fields::bandwidth>("bandwidth", "a size for each second, as \"100MB/s\""),
    make_option<&fields::read_bandwidth>("read_bandwidth",
                                         "a size for each second, as \"100MB/s\""),
    make_option<&fields::write_bandwidth>("write_bandwidth",
                                          "a size for each second, as \"100MB/s\""),
    make_option<&fields::memory_bandwidth>("memory_bandwidth",
                                           "a size for each second, as \"8GB/s\""),
    make_option<&fields::total_bandwidth>("total_bandwidth",
                                          "a size for each second, as \"10GB/s\""),
    make_option<&fields::max_requests>("max_requests", "a count, as \"500\""),
    make_option<&fields::failures>("failures", "a probability, as \"0.001\""),
    make_option<&fields::lost_workers>("lost_workers", "a probability, as \"0.0001\""),
    make_option<&fields::in_process>("in_process", "\"yes\" or \"no\""),
    make_option<&fields::seed>("seed", "a whole number, as \"1\"")};

/// Cuts `text` at the commas that are not in parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else {
      depth += (text[i] == '(') - (text[i] == ')');
    }
  }
  return parts;
}

/// Sets the option to `text`. Returns false if `text` is not a value of the option.
bool try_read(const option& entry, std::string_view text, simulated_options& options) {
  try {
    return entry.read(text, options);
  } catch (const value_error&) {
    return false;
  }
}

void read_option(std::string_view name, std::string_view text, simulated_options& options) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view key = text.substr(0, equals);
  const auto* const match = std::find_if(known_options.begin(), known_options.end(),
                                         [&](const option& entry) { return entry.key == key; });
  if (match == known_options.end()) {
    std::vector<std::string_view> keys;
    for (const option& entry : known_options) keys.push_back(entry.key);
    throw value_error(
        fmt::format("executor \"{}\": there is no option \"{}\"{}; the options are {}", name, key,
                    did_you_mean(key, keys), fmt::join(keys, ", ")));
  }
  const std::string_view value = text.substr(std::min(equals + 1, text.size()));
  if (!try_read(*match, value, options)) {
    throw value_error(fmt::format("executor \"{}\": {} is \"{}\", which must be {}", name, key,
                                  value, match->form));
  }
}

void require(bool is_right, std::string_view option, double value, std::string_view condition) {
  if (is_right) return;
  throw value_error(fmt::format("simulated: {} is {}, which must be {}", option, value, condition));
}

}  // namespace

void check_simulated_options(const simulated_options& options) {
  const auto is_probability = [](double p) { return p >= 0 && p <= 1; };
  constexpr std::string_view probability = "a probability, from 0 to 1";
  const straggler_rate& stragglers = options.stragglers;
  require(options.workers > 0, "workers", 0, "at least 1");
  require(is_probability(options.failures), "failures", options.failures, probability);
  require(is_probability(options.lost_workers), "lost_workers", options.lost_workers, probability);
  require(is_probability(stragglers.probability), "stragglers.probability", stragglers.probability,
          probability);
  require(stragglers.slowness >= 1 && std::isfinite(stragglers.slowness), "stragglers.slowness",
          stragglers.slowness, "at least 1");
  for (const auto& [name, time] : {std::pair{"batch_overhead", options.batch_overhead},
                                   {"request_time", options.request_time},
                                   {"latency", options.latency}}) {
    require(time.count() >= 0, name, static_cast<double>(time.count()), "not negative");
  }
}

simulated_options simulated_options::of(const costs& figures, std::size_t workers) {
  using nanoseconds = random_time::nanoseconds;
  return {.workers = workers,
          .task_time = nanoseconds{figures.task},
          .element_step = nanoseconds{figures.element_step},
          .latency = std::chrono::round<session_time>(figures.wait(1)),
          .bandwidth = std::max(figures.read_bandwidth, figures.write_bandwidth),
          .read_bandwidth = figures.read_bandwidth,
          .write_bandwidth = figures.write_bandwidth,
          .memory_bandwidth = figures.memory_bandwidth,
          .total_bandwidth = figures.total_bandwidth.value_or(bytes{})};
}

costs costs_of(const simulated_options& options) {
  costs figures;
  const auto set = [](bytes& figure, bytes limit) {
    if (limit != bytes{}) figure = limit;
  };
  const auto lower = [](bytes& figure, bytes limit) {
    if (limit != bytes{}) figure = std::min(figure, limit);
  };
  for (bytes costs::*const bandwidth : {&costs::read_bandwidth, &costs::write_bandwidth}) {
    const bool reads = bandwidth == &costs::read_bandwidth;
    const bytes of_worker = reads ? options.read_bandwidth : options.write_bandwidth;
    set(figures.*bandwidth, of_worker != bytes{} ? of_worker : options.bandwidth);
    lower(figures.*bandwidth, options.bandwidth);
  }
  set(figures.memory_bandwidth, options.memory_bandwidth);
  if (options.total_bandwidth != bytes{}) figures.total_bandwidth = options.total_bandwidth;
  if (options.latency != session_time{}) figures.latency = options.latency;
  if (options.task_time != random_time{}) figures.task = options.task_time.mean();
  if (options.element_step != random_time{}) figures.element_step = options.element_step.mean();
  return figures;
}

simulated_options parse_simulated_options(std::string_view name) {
  simulated_options options;
  if (name == engine) return options;
  for (const std::string_view text : split(name.substr(engine.size() + 1))) {
    read_option(name, text, options);
  }
  return options;
}

std::string format_simulated_options(const simulated_options& options) {
  const simulated_options defaults;
  std::string name = fmt::format("{}:workers={}", engine, options.workers);
  for (const option& entry : known_options) {
    if (entry.key == "workers" || entry.write(options) == entry.write(defaults)) continue;
    name += fmt::format(",{}={}", entry.key, entry.write(options));
  }
  return name;
}

}  // namespace tessera
