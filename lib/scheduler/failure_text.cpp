// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/failure_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failures.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tessera {

namespace {

/// A type of failure that arrives as itself. The text is its name, a line feed, and its message.
struct failure_kind {
  std::string_view name;
  bool (*is_that_of)(const std::exception&);
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

/// Whether trying again is worth while is in the name.
constexpr failure_kind passing_store_error{
    "passing_store_error",
    [](const std::exception& failure) {
      const auto* error = dynamic_cast<const store_error*>(&failure);
      return error != nullptr && error->may_pass();
    },
    [](const std::string& message) { return std::make_exception_ptr(store_error(message, true)); }};

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

// The first that fits counts: a base class comes after those derived from it.
constexpr std::array kinds{kind_of<shape_error>("shape_error"),
                           kind_of<dtype_error>("dtype_error"),
                           kind_of<value_error>("value_error"),
                           kind_of<memory_error>("memory_error"),
                           kind_of<codec_error>("codec_error"),
                           passing_store_error,
                           kind_of<store_error>("store_error"),
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

}  // namespace

std::string encode_failure(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    const auto kind = std::ranges::find_if(
        kinds, [&](const failure_kind& each) { return each.is_that_of(known); });
    return text_of(kind == kinds.end() ? kinds.back().name : kind->name, known.what());
  } catch (...) {
    return text_of(kinds.back().name, "an exception that is not a std::exception");
  }
}

std::exception_ptr decode_failure(std::string_view text) {
  const std::size_t end = text.find('\n');
  const auto kind = std::ranges::find(kinds, text.substr(0, end), &failure_kind::name);
  if (end == std::string_view::npos || kind == kinds.end()) {
    return std::make_exception_ptr(
        error("a worker reported a failure in words that are not known; run the same program in "
              "all processes"));
  }
  return kind->make(std::string(text.substr(end + 1)));
}

}  // namespace tessera
