// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stores in a bucket of radosgw.

#include "unit/store/s3/radosgw.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include "conformance/store_conformance.hpp"
#include "conformance/store_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const bool is_registered = register_store_conformance("s3", [] { return new_radosgw_store(); });

/// Returns the failure of `f`.
template <class F>
store_error failure_of(F f) {
  try {
    static_cast<void>(f());
  } catch (const store_error& failure) {
    return failure;
  }
  ADD_FAILURE() << "no store_error was thrown";
  return store_error("");
}

TEST(Radosgw, ReadsLargeValuesInPieces) {
  const auto store = new_radosgw_store();
  const value_t value = value_of((std::size_t{20} << 20) + 5, 3);
  store->write("big", value);
  value_t buffer(value.size() + 7);
  EXPECT_EQ(store->read("big", buffer), value.size());
  EXPECT_TRUE(std::equal(value.begin(), value.end(), buffer.begin()));
  const auto part = store->read_part("big", {3, std::size_t{18} << 20}, buffer);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->size, std::size_t{18} << 20);
  EXPECT_TRUE(std::equal(buffer.begin(), buffer.begin() + (18 << 20), value.begin() + 3));
  value_t small(9 << 20);
  EXPECT_EQ(failure_of([&] { return store->read("big", small); }).value_size(), value.size());
}

TEST(Radosgw, WritesLargeValuesInParts) {
  const auto store = new_radosgw_store();
  const value_t value = value_of((std::size_t{20} << 20) + 5, 3);
  {
    const auto discarded = store->writer("discarded");
    discarded->append(value);
  }
  const auto writer = store->writer("big");
  writer->append(value);
  EXPECT_FALSE(store->exists("big"));
  writer->finish();
  EXPECT_EQ(store->read_all("big", no_limit), value);
  EXPECT_FALSE(store->exists("discarded"));
}

TEST(Radosgw, ListsAndErasesManyPages) {
  const auto store = new_radosgw_store();
  const auto writes = store->writes();
  std::vector<std::size_t> tickets;
  for (int i = 0; i < 1100; ++i) tickets.push_back(writes->submit("c/" + std::to_string(i), {}));
  for (const std::size_t ticket : tickets) writes->wait(ticket);
  EXPECT_EQ(store->list("").size(), 1100U);
  int num_pages = 0;
  store->list_pages("", [&](auto) { return ++num_pages > 0; });
  EXPECT_EQ(num_pages, 2);
  EXPECT_EQ(store->list_folder("").size(), 1U);
  store->erase_many(store->list(""));
  EXPECT_TRUE(store->list("").empty());
}

TEST(Radosgw, RefusesWrongSecretsWithoutTellingThem) {
  const auto store = new_radosgw_store(
      {.keys = {.access_key_id = "AKIDTEST", .secret_access_key = "WRONGSECRET"}});
  EXPECT_EQ(store->recipe(), std::nullopt);
  const store_error failure = failure_of([&] { return store->read_all("x", 10); });
  EXPECT_EQ(failure.kind(), store_failure::denied);
  EXPECT_THAT(failure.what(), AllOf(HasSubstr("SignatureDoesNotMatch"), HasSubstr("\"x\""),
                                    Not(HasSubstr("WRONGSECRET")), Not(HasSubstr("AKIDTEST"))));
}

TEST(Radosgw, DeniesAnonymousRequests) {
  const auto store = new_radosgw_store({.anonymous = true});
  const store_error failure = failure_of([&] { return store->read_all("x", 10); });
  EXPECT_EQ(failure.kind(), store_failure::denied);
  EXPECT_THAT(failure.what(), HasSubstr("anonymous"));
}

TEST(Radosgw, TellsThatTheBucketIsMissing) {
  const std::string& bucket = radosgw_bucket();
  const auto store = open_s3_store(bucket + "-of-another");
  for (const store_error& failure : {failure_of([&] { return store->read_all("x", 10); }),
                                     failure_of([&] { return store->list(""); }),
                                     failure_of([&] { return store->write("x", {}), 0; })}) {
    EXPECT_EQ(failure.kind(), store_failure::no_store);
    EXPECT_THAT(failure.what(), HasSubstr("there is no bucket \"tessera-of-another\""));
  }
}

}  // namespace
}  // namespace tessera::testing
