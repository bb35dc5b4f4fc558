// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include <gtest/gtest.h>
#include <stdexcept>

namespace {

using namespace tessera;

template <class Error>
void expect_caught_as_error() {
  try {
    throw Error("what happened");
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "what happened");
  }
  EXPECT_THROW(throw Error("what happened"), std::runtime_error);
}

TEST(Error, EveryKindIsCaughtAsTesserasAndAsTheStandards) {
  expect_caught_as_error<shape_error>();
  expect_caught_as_error<dtype_error>();
  expect_caught_as_error<value_error>();
  expect_caught_as_error<memory_error>();
  expect_caught_as_error<codec_error>();
  expect_caught_as_error<store_error>();
  expect_caught_as_error<zarr_error>();
  expect_caught_as_error<task_error>();
  expect_caught_as_error<interrupted_error>();
}

TEST(StoreError, MayPassOnlyWhereItIsSaid) {
  EXPECT_FALSE(store_error("permission denied").may_pass());
  EXPECT_TRUE(store_error("interrupted", true).may_pass());
  for (const auto kind : {store_failure::passing, store_failure::throttled}) {
    EXPECT_TRUE(store_error("busy", kind).may_pass());
  }
  for (const auto kind :
       {store_failure::denied, store_failure::no_store, store_failure::too_large,
        store_failure::changed, store_failure::unsupported, store_failure::permanent}) {
    EXPECT_FALSE(store_error("no", kind).may_pass());
  }
}

TEST(StoreError, HasAKindAndTheSizeOfTheValue) {
  EXPECT_EQ(store_error("no").kind(), store_failure::permanent);
  EXPECT_EQ(store_error("busy", true).kind(), store_failure::passing);
  EXPECT_EQ(store_error("no").value_size(), std::nullopt);
  EXPECT_EQ(store_error("large", store_failure::too_large, 7).value_size(), 7U);
}

}  // namespace
