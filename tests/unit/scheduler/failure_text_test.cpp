// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/failure_text.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include <gtest/gtest.h>
#include <new>
#include <rapidcheck.h>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace tessera {
namespace {

/// What a handler sees of an exception.
struct seen {
  const std::type_info* type = nullptr;
  std::string message;
};

seen look_at(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return {&typeid(known), known.what()};
  } catch (...) {
    return {};
  }
}

template <class Failure>
seen there_and_back(const Failure& failure) {
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
    const seen arrived = there_and_back(TypeParam(message));
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

TEST(FailureTextOfBadAlloc, IsCaughtAsBadAllocAndKeepsItsWords) {
  EXPECT_THROW(std::rethrow_exception(
                   decode_failure(encode_failure(std::make_exception_ptr(std::bad_alloc())))),
               std::bad_alloc);
  EXPECT_EQ(there_and_back(std::bad_alloc()).message, std::bad_alloc().what());
  EXPECT_EQ(there_and_back(explained_bad_alloc("more than 2 MB")).message, "more than 2 MB");
}

TEST(FailureTextOfOthers, IsARuntimeErrorWithTheirMessage) {
  const seen arrived = there_and_back(std::out_of_range("no such element"));
  EXPECT_EQ(*arrived.type, typeid(std::runtime_error));
  EXPECT_EQ(arrived.message, "no such element");
  EXPECT_EQ(*there_and_back(std::runtime_error("x")).type, typeid(std::runtime_error));
}

TEST(FailureTextOfOthers, SaysThatSomethingElseWasThrown) {
  const seen arrived = there_and_back(42);
  EXPECT_EQ(*arrived.type, typeid(std::runtime_error));
  EXPECT_EQ(arrived.message, "an exception that is not a std::exception");
}

TEST(FailureTextThatIsMalformed, IsAnError) {
  for (const std::string_view text : {"", "\n", "store_error", "no_such_error\nx", "Error\n"}) {
    EXPECT_EQ(*look_at(decode_failure(text)).type, typeid(error)) << text;
  }
}

TEST(FailureTextThatIsMalformed, IsNeverNull) {
  EXPECT_TRUE(rc::check([](const std::string& text) { RC_ASSERT(decode_failure(text)); }));
}

}  // namespace
}  // namespace tessera
