// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"
#include "zarr/api/claim_array.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace ts = tessera;

namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class F>
std::string refusal_of(F f) {
  try {
    f();
  } catch (const ts::zarr_error& refusal) {
    return refusal.what();
  }
  ADD_FAILURE() << "no zarr_error was thrown";
  return {};
}

/// An array "g/x" of 10 x 6 in chunks of 4 x 3, in a store in memory or in a directory.
class WriteClaim : public testing::TestWithParam<bool> {
 protected:
  WriteClaim() {
    if (GetParam()) {
      store_ = std::make_shared<ts::filesystem_store>(directory_ / "s");
    } else {
      store_ = std::make_shared<ts::memory_store>();
    }
    (void)ts::zarr_array::create(store_, "g/x", metadata());
  }

  static ts::zarr_metadata metadata() {
    return {.shape = {10, 6}, .chunks = {4, 3}, .dtype = ts::dtype::int32};
  }
  [[nodiscard]] ts::zarr_array array() const { return ts::zarr_array::open(store_, "g/x"); }
  [[nodiscard]] ts::zarr_group group() const { return ts::zarr_group::open(store_, "g"); }

  [[nodiscard]] auto claim(ts::zarr_destination to, const std::string& run = "0123456789") const {
    return ts::as_destination(std::move(to))->claim(run);
  }
  [[nodiscard]] ts::zarr_destination destination() const {
    ts::zarr_destination to;
    to.store = store_;
    to.path = "g/x";
    to.metadata = metadata();
    return to;
  }
  [[nodiscard]] auto claim_all() const { return claim(destination()); }
  [[nodiscard]] auto claim_region(const ts::region& box) const {
    ts::zarr_destination to = destination();
    to.within = ts::zarr_region{box, {10, 6}};
    return claim(std::move(to));
  }
  [[nodiscard]] auto claim_columns_behind(ts::index_t count) const {
    return claim(ts::append_destination(array(), 1, count));
  }

  ts::testing::temporary_directory directory_;
  std::shared_ptr<ts::key_value_store> store_;
};

TEST_P(WriteClaim, OneRunReplacesAnArrayAtATime) {
  auto first = claim_all();
  EXPECT_THAT(refusal_of([&] { (void)claim_all(); }),
              AllOf(HasSubstr("store to '" + array().name() + "'"),
                    HasSubstr("process " + std::to_string(::getpid()) + " of the host"),
                    HasSubstr("to replace it"), HasSubstr("run 01234567"),
                    HasSubstr("nothing has been written"), HasSubstr("store again")));
  EXPECT_THAT(refusal_of([&] { (void)claim_region({{0, 0}, {4, 3}}); }), HasSubstr("replace it"));
  EXPECT_THAT(refusal_of([&] { (void)claim_columns_behind(3); }),
              AllOf(HasSubstr("append to"), HasSubstr("append again")));
  first.reset();
  EXPECT_NE(claim_all(), nullptr);
}

TEST_P(WriteClaim, RegionsThatShareNoChunkAreWrittenSideBySide) {
  const auto first = claim_region({{0, 0}, {4, 6}});
  const auto second = claim_region({{4, 0}, {10, 3}});
  const auto third = claim_columns_behind(3);
  EXPECT_THAT(refusal_of([&] {
                (void)claim_region({{8, 0}, {10, 6}});
              }),
              HasSubstr("to write [4:10, 0:3] of it"));
  EXPECT_NE(claim_region({{4, 3}, {8, 6}}), nullptr);
}

TEST_P(WriteClaim, OneRunAppendsAtATime) {
  const auto first = claim_columns_behind(3);
  EXPECT_THAT(refusal_of([&] { (void)claim_columns_behind(6); }),
              AllOf(HasSubstr("to append to it"), HasSubstr("append again")));
}

TEST_P(WriteClaim, WhatARunWritesIsNotChangedOtherwise) {
  auto first = claim_region({{0, 0}, {4, 6}});
  const ts::index_vector shape{12, 6};
  EXPECT_THAT(refusal_of([&] { (void)array().resize(shape); }),
              AllOf(HasSubstr("resize"), HasSubstr("to write [0:4, 0:6] of it")));
  EXPECT_THAT(refusal_of([&] { group().erase("x"); }), HasSubstr("remove"));
  EXPECT_THAT(refusal_of([&] {
                (void)ts::zarr_array::create(store_, "g/x", metadata(), {}, ts::existing::replace);
              }),
              HasSubstr("create an array at"));
  EXPECT_THAT(refusal_of([&] { ts::zarr_group::open(store_, "").erase("g"); }),
              HasSubstr("to write [0:4, 0:6] of it"));
  first.reset();
  EXPECT_EQ(array().resize(shape).shape(), shape);
  group().erase("x");
  EXPECT_FALSE(store_->exists("g/x/.zarray"));
}

// In memory, claims are no files: nothing that is removed takes them along.
TEST_P(WriteClaim, ARunWhoseArrayWasRemovedSaysSo) {
  const auto first = claim_all();
  first->confirm();
  store_->erase_all("g/x");
  if (!GetParam()) return first->confirm();
  EXPECT_THAT(refusal_of([&] { first->confirm(); }),
              AllOf(HasSubstr("removed"), HasSubstr("store again")));
}

TEST_P(WriteClaim, AnArrayIsResizedAndAppendedToAsItIsNow) {
  const ts::zarr_array old = array();
  ts::chunk_buffers buffers(old);
  const std::vector<std::int32_t> rows(12, 7);
  const auto append = [&](const ts::zarr_array& to) {
    return to.append(0, std::as_bytes(std::span(rows)), buffers.decoded(), buffers.encoded());
  };
  (void)append(old);
  EXPECT_EQ(append(old).shape(), (ts::index_vector{14, 6}));
  std::vector<std::int32_t> elements(24);
  array().read_region({{10, 0}, {14, 6}}, std::as_writable_bytes(std::span(elements)),
                      buffers.decoded(), buffers.encoded());
  EXPECT_EQ(elements, std::vector<std::int32_t>(24, 7));
  // Chunks behind the end of a shorter array are gone, whatever the handle knew of it.
  (void)old.resize(ts::index_vector{13, 6});
  EXPECT_FALSE(array().resize(ts::index_vector{4, 6}).store()->exists("g/x/2.0"));
  auto other_metadata = metadata();
  other_metadata.dtype = ts::dtype::float64;
  (void)ts::zarr_array::create(store_, "g/x", other_metadata, {}, ts::existing::replace);
  EXPECT_THAT(refusal_of([&] {
                (void)old.resize(ts::index_vector{4, 6});
              }),
              HasSubstr("open it again"));
}

/// A process that has claimed the group "g" as a copy does, until this object goes.
class claim_of_another_process {
 public:
  explicit claim_of_another_process(const std::string& directory) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
    child_ = ts::testing::in_child([&] {
      const auto store = std::make_shared<ts::filesystem_store>(directory);
      const auto claim = ts::detail::claim_array(store, "g");
      if (::write(ends[1], "", 1) == 1) ::pause();
      return 0;
    });
    char byte = 0;
    if (::read(ends[0], &byte, 1) != 1) throw std::runtime_error("read failed");
    ::close(ends[0]);
    ::close(ends[1]);
  }
  claim_of_another_process(const claim_of_another_process&) = delete;
  claim_of_another_process& operator=(const claim_of_another_process&) = delete;
  ~claim_of_another_process() {
    ::kill(child_, SIGKILL);
    (void)ts::testing::status_of(child_);
  }
  [[nodiscard]] pid_t process() const { return child_; }

 private:
  pid_t child_ = 0;
};

TEST_P(WriteClaim, AGroupIsClaimedWithAllItsArrays) {
  if (!GetParam()) return;  // other processes see no memory
  const auto rows = [&] { return claim_region({{0, 0}, {4, 6}}); };
  auto earlier = rows();
  EXPECT_THAT(refusal_of([&] {
                ts::detail::refuse_claims_below(*store_, {"g/y", "g/x"}, "copy to");
              }),
              AllOf(HasSubstr("copy to"), HasSubstr("to write [0:4, 0:6] of it")));
  earlier.reset();
  ts::detail::refuse_claims_below(*store_, {"g/y", "g/x"}, "copy to");
  {
    const claim_of_another_process copying(directory_ / "s");
    EXPECT_THAT(refusal_of(rows), AllOf(HasSubstr("it lies in '" + store_->name() + "/g'"),
                                        HasSubstr("process " + std::to_string(copying.process()))));
    // The same array by the path of a store of its own.
    EXPECT_THAT(refusal_of([&] {
                  ts::zarr_destination to = destination();
                  to.store = std::make_shared<ts::filesystem_store>(directory_ / "s/g/x");
                  to.path = "";
                  (void)claim(std::move(to));
                }),
                HasSubstr("it lies in"));
    EXPECT_THAT(refusal_of([&] {
                  (void)array().resize(ts::index_vector{12, 6});
                }),
                HasSubstr("it lies in"));
    EXPECT_THAT(refusal_of([&] { group().erase("x"); }), HasSubstr("it lies in"));
  }
  EXPECT_NE(rows(), nullptr);
  // A process may write to the arrays of its own copy.
  const auto own = ts::detail::claim_array(store_, "g");
  EXPECT_NE(rows(), nullptr);
}

// As many as a process may open.
TEST_P(WriteClaim, AGroupOfVeryManyArraysIsRemoved) {
  for (int i = 0; i < 200; ++i) {
    (void)ts::zarr_array::create(store_, "h/" + std::to_string(i), metadata());
  }
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct rlimit low { 64, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  ts::zarr_group::open(store_, "").erase("h");
  struct rlimit behind {};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &behind), 0);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(behind.rlim_cur, low.rlim_cur);
  EXPECT_TRUE(store_->list("h").empty());
}

INSTANTIATE_TEST_SUITE_P(InMemoryAndInADirectory, WriteClaim, testing::Bool(),
                         [](const auto& info) { return info.param ? "directory" : "memory"; });

}  // namespace
