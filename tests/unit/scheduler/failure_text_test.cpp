// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/failure_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <rapidcheck.h>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace tessera {
namespace {

/// The type and the message of an exception, as a handler gets them.
struct caught_failure {
  const std::type_info* type = nullptr;
  std::string message;
};

caught_failure look_at(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return {&typeid(known), known.what()};
  } catch (...) {
    return {};
  }
}

template <class Failure>
caught_failure there_and_back(const Failure& failure) {
  return look_at(decode_failure(encode_failure(std::make_exception_ptr(failure))));
}

template <class Error>
class FailureText : public ::testing::Test {};
using error_types = ::testing::Types<error, shape_error, dtype_error, value_error, memory_error,
                                     codec_error, store_error, zarr_error, task_error, worker_error,
                                     timeout_error, interrupted_error>;
TYPED_TEST_SUITE(FailureText, error_types);

TYPED_TEST(FailureText, KeepsTheTypeAndTheMessage) {
  for (const std::string message : {"", "chunk 3.1", "two\nlines\n", "runtime_error\nx"}) {
    const caught_failure arrived = there_and_back(TypeParam(message));
    EXPECT_EQ(*arrived.type, typeid(TypeParam));
    EXPECT_EQ(arrived.message, message);
  }
}

TEST(FailureTextOfAStoreError, KeepsWhetherItMayPass) {
  for (const bool is_passing : {false, true}) {
    const auto failure = std::make_exception_ptr(store_error("busy", is_passing));
    EXPECT_EQ(may_pass(decode_failure(encode_failure(failure))), is_passing);
  }
}

TEST(FailureTextOfAStoreError, KeepsItsKindAndTheSizeOfTheValue) {
  for (int i = 0; i <= static_cast<int>(store_failure::permanent); ++i) {
    const auto kind = static_cast<store_failure>(i);
    for (const std::optional<std::uint64_t> size :
         {std::optional<std::uint64_t>(), {0}, {1001}, {~std::uint64_t{0}}}) {
      try {
        std::rethrow_exception(decode_failure(
            encode_failure(std::make_exception_ptr(store_error("a\nb", kind, size)))));
      } catch (const store_error& arrived) {
        EXPECT_EQ(arrived.kind(), kind);
        EXPECT_EQ(arrived.value_size(), size);
        EXPECT_STREQ(arrived.what(), "a\nb");
      }
    }
  }
}

TEST(FailureTextOfBadAlloc, IsCaughtAsBadAllocAndKeepsItsWords) {
  EXPECT_THROW(std::rethrow_exception(
                   decode_failure(encode_failure(std::make_exception_ptr(std::bad_alloc())))),
               std::bad_alloc);
  EXPECT_EQ(there_and_back(std::bad_alloc()).message, std::bad_alloc().what());
  EXPECT_EQ(there_and_back(explained_bad_alloc("more than 2 MB")).message, "more than 2 MB");
}

TEST(FailureTextOfOthers, IsARuntimeErrorWithTheirMessage) {
  const caught_failure arrived = there_and_back(std::out_of_range("no such element"));
  EXPECT_EQ(*arrived.type, typeid(std::runtime_error));
  EXPECT_EQ(arrived.message, "no such element");
  EXPECT_EQ(*there_and_back(std::runtime_error("x")).type, typeid(std::runtime_error));
}

TEST(FailureTextOfOthers, SaysThatSomethingElseWasThrown) {
  const caught_failure arrived = there_and_back(42);
  EXPECT_EQ(*arrived.type, typeid(std::runtime_error));
  EXPECT_EQ(arrived.message, "an exception that is not a std::exception");
}

TEST(FailureTextThatIsMalformed, IsAnError) {
  for (const std::string_view text :
       {"", "\n", "store_error", "no_such_error\nx", "Error\n", "store_error/\nx",
        "store_error/lazy/\nx", "store_error/passing\nx", "store_error/passing/-1\nx",
        "store_error/passing/1 \nx", "store_error/passing/18446744073709551616\nx"}) {
    EXPECT_EQ(*look_at(decode_failure(text)).type, typeid(error)) << text;
  }
}

TEST(FailureTextThatIsMalformed, IsNeverNull) {
  EXPECT_TRUE(rc::check([](const std::string& text) { RC_ASSERT(decode_failure(text)); }));
}

}  // namespace
}  // namespace tessera
