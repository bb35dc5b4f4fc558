// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/failure_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failures.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace tessera {

namespace {

/// A type of exception that crosses a process boundary unchanged.
///
/// Format of the text: the name of the type, a line feed, the message of the exception.
struct failure_kind {
  std::string_view name;
  bool (*matches)(const std::exception&);
  std::exception_ptr (*make)(const std::string& message);
};

template <class Failure>
constexpr failure_kind kind_of(std::string_view name) {
  return {name,
          [](const std::exception& failure) {
            return dynamic_cast<const Failure*>(&failure) != nullptr;
          },
          [](const std::string& message) { return std::make_exception_ptr(Failure(message)); }};
}

/// The name tells whether another attempt may succeed.
constexpr failure_kind passing_takeover_error{
    "passing_takeover_error",
    [](const std::exception& failure) {
      const auto* error = dynamic_cast<const takeover_error*>(&failure);
      return error != nullptr && error->may_pass();
    },
    [](const std::string& message) {
      return std::make_exception_ptr(takeover_error(message, true));
    }};

constexpr failure_kind refused_memory{
    "bad_alloc",
    [](const std::exception& failure) {
      return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
    },
    [](const std::string& message) {
      if (message == std::bad_alloc().what()) return std::make_exception_ptr(std::bad_alloc());
      return std::make_exception_ptr(explained_bad_alloc(message));
    }};

// Order: the first match counts, so a base class comes after its derived classes.
constexpr std::array kinds{kind_of<shape_error>("shape_error"),
                           kind_of<dtype_error>("dtype_error"),
                           kind_of<value_error>("value_error"),
                           kind_of<memory_error>("memory_error"),
                           kind_of<codec_error>("codec_error"),
                           kind_of<zarr_error>("zarr_error"),
                           kind_of<task_error>("task_error"),
                           kind_of<worker_error>("worker_error"),
                           kind_of<timeout_error>("timeout_error"),
                           kind_of<interrupted_error>("interrupted_error"),
                           passing_takeover_error,
                           kind_of<takeover_error>("takeover_error"),
                           kind_of<error>("error"),
                           refused_memory,
                           kind_of<std::runtime_error>("runtime_error")};

std::string text_of(std::string_view name, std::string_view message) {
  return std::string(name) + '\n' + std::string(message);
}

/// The names of `store_failure`, in its order.
constexpr std::array<std::string_view, 8> store_failures{"passing",     "throttled", "denied",
                                                         "no_store",    "too_large", "changed",
                                                         "unsupported", "permanent"};

constexpr std::string_view store_prefix = "store_error/";

/// Returns the name of a failure of a store: "store_error/<kind>/<size of the value>"; the size is
/// empty if it is not known.
std::string name_of(const store_error& failure) {
  const auto size = failure.value_size();
  return std::string(store_prefix) +
         std::string(store_failures.at(static_cast<std::size_t>(failure.kind()))) + '/' +
         (size ? std::to_string(*size) : "");
}

/// Returns the failure of a name by `name_of`, or a null pointer if it is none.
std::exception_ptr parse_store_error(std::string_view name, std::string_view message) {
  if (!name.starts_with(store_prefix)) return nullptr;
  name.remove_prefix(store_prefix.size());
  const std::size_t slash = name.find('/');
  const auto kind = std::ranges::find(store_failures, name.substr(0, slash));
  if (slash == std::string_view::npos || kind == store_failures.end()) return nullptr;
  const std::string_view digits = name.substr(slash + 1);
  std::optional<std::uint64_t> size;
  if (!digits.empty()) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc() || end != digits.end()) return nullptr;
    size = value;
  }
  return std::make_exception_ptr(store_error(
      std::string(message), static_cast<store_failure>(kind - store_failures.begin()), size));
}

/// Returns the name of the type of a failure.
std::string name_of(const std::exception& failure) {
  if (const auto* error = dynamic_cast<const store_error*>(&failure)) return name_of(*error);
  const auto kind = std::ranges::find_if(
      kinds, [&](const failure_kind& candidate) { return candidate.matches(failure); });
  return std::string(kind == kinds.end() ? kinds.back().name : kind->name);
}

}  // namespace

std::string encode_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return text_of(name_of(known), known.what());
  } catch (...) {
    return text_of(kinds.back().name, "an exception that is not a std::exception");
  }
}

std::exception_ptr decode_failure(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end != std::string_view::npos) {
    const auto failure = parse_store_error(text.substr(0, end), text.substr(end + 1));
    if (failure) return failure;
  }
  const auto kind = std::ranges::find(kinds, text.substr(0, end), &failure_kind::name);
  if (end == std::string_view::npos || kind == kinds.end()) {
    return std::make_exception_ptr(
        error("a worker reported a failure in words that are not known; run the same program in "
              "all processes"));
  }
  return kind->make(std::string(text.substr(end + 1)));
}

}  // namespace tessera
