// SPDX-License-Identifier: Apache-2.0
//
// The file `.zmetadata` while several writers change its members.
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"
#include "zarr/v2/consolidated_metadata.hpp"

#include <cerrno>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/syscall.h>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ts::testing::in_child;
using ts::testing::status_of;
using ts::testing::temporary_directory;
using ts::testing::zarr::plain_int32;
using ts::testing::zarr::put;
using ts::testing::zarr::refusal_of;
using ts::testing::zarr::watched_store;

using store_pointer = std::shared_ptr<ts::key_value_store>;

std::string text_of(const ts::key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : "";
}

/// The arrays directly in the root that its `.zmetadata` knows.
std::vector<std::string> known_in(const ts::key_value_store& store) {
  std::vector<std::string> names;
  for (const auto& file : ts::detail::parse_consolidated(text_of(store, ".zmetadata"), "test")) {
    if (file.first.ends_with("/.zarray"))
      names.push_back(file.first.substr(0, file.first.size() - 8));
  }
  return names;
}

void make_array(const store_pointer& store, const std::string& path) {
  (void)ts::zarr_array::create(store, path, plain_int32({4}, {2}));
}

/// A consolidated group with the array "first".
store_pointer group_in(const std::string& path) {
  store_pointer store = std::make_shared<ts::filesystem_store>(path);
  const auto group = ts::zarr_group::create(store, "");
  make_array(store, "first");
  ts::consolidate(group);
  return store;
}

int create_arrays(const std::string& path, const std::string& prefix, int count) {
  const auto store = std::make_shared<ts::filesystem_store>(path);
  for (int i = 0; i < count; ++i) make_array(store, prefix + std::to_string(i));
  return 0;
}

TEST(Zmetadata, KeepsArraysOfTwoProcesses) {
  const temporary_directory directory;
  const std::string path = directory / "g.zarr";
  const auto store = group_in(path);
  const pid_t a = in_child([&] { return create_arrays(path, "a", 100); });
  const pid_t b = in_child([&] { return create_arrays(path, "b", 100); });
  EXPECT_EQ(status_of(a), 0);
  EXPECT_EQ(status_of(b), 0);
  EXPECT_EQ(known_in(*store).size(), 201U);
  EXPECT_FALSE(fs::exists(path + "/.zmetadata.__lock"));
}

TEST(Zmetadata, IsThereWholeAtEachMoment) {
  const temporary_directory directory;
  const std::string path = directory / "g.zarr";
  const auto store = group_in(path);
  const pid_t writer = in_child([&] { return create_arrays(path, "a", 100); });
  int status = 0;
  std::size_t num_known = 1;
  while (::waitpid(writer, &status, WNOHANG) == 0) {
    const std::size_t now = known_in(*store).size();
    ASSERT_GE(now, num_known);
    num_known = now;
  }
  EXPECT_EQ(status, 0);
}

// A lock ends with its process; the next process knows the change that was about to be made.
TEST(Zmetadata, TakesInWhatADyingProcessLeftOut) {
  const temporary_directory directory;
  const std::string path = directory / "g.zarr";
  const auto store = group_in(path);
  const pid_t writer = in_child([&] {
    const auto dying =
        std::make_shared<watched_store>(std::make_shared<ts::filesystem_store>(path));
    dying->before_write = [](std::string_view key) {
      if (key == ".zmetadata") ::_exit(3);
    };
    make_array(dying, "deep/lost");
    return 0;
  });
  EXPECT_EQ(WEXITSTATUS(status_of(writer)), 3);
  EXPECT_TRUE(store->exists("deep/lost/.zarray"));
  EXPECT_THAT(known_in(*store), ElementsAre("first"));
  make_array(store, "next");
  EXPECT_THAT(known_in(*store), ElementsAre("deep/lost", "first", "next"));
  EXPECT_FALSE(fs::exists(path + "/.zmetadata.__lock"));
}

TEST(Zmetadata, IsRemovedWhereTheFileSystemHasNoLocks) {
  const temporary_directory directory;
  const std::string path = directory / "g.zarr";
  const auto store = group_in(path);
  const pid_t writer = in_child([&] {
    ts::testing::strike_system_call(SYS_flock, ts::testing::fails_with(ENOLCK));
    return create_arrays(path, "a", 1);
  });
  EXPECT_EQ(status_of(writer), 0);
  EXPECT_FALSE(store->exists(".zmetadata"));
  EXPECT_THAT(ts::zarr_group::open(store, "").arrays(), ElementsAre("a0", "first"));
}

TEST(Zmetadata, KeepsWhatAnotherProgramWritesMeanwhile) {
  const temporary_directory directory;
  const auto inner = group_in(directory / "g.zarr");
  const auto store = std::make_shared<watched_store>(inner);
  bool has_written = false;
  store->after_read = [&](std::string_view key) {
    if (key != ".zmetadata" || std::exchange(has_written, true)) return;
    put(*inner, ".zmetadata",
        R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2},
            "theirs/.zarray": {}}})");
  };
  make_array(store, "ours");
  EXPECT_TRUE(has_written);
  EXPECT_THAT(known_in(*inner), ElementsAre("ours", "theirs"));
}

TEST(Zmetadata, LosesAnArrayBeforeItsChunks) {
  const temporary_directory directory;
  const auto inner = group_in(directory / "g.zarr");
  put(*inner, "first/0", "a chunk");
  const auto store = std::make_shared<watched_store>(inner);
  int num_erased = 0;
  store->before_erase = [&](std::string_view key) {
    num_erased += key == "first/0" ? 1 : 0;
    EXPECT_THAT(known_in(*inner), ElementsAre()) << key;
  };
  (void)ts::zarr_array::create(store, "first", plain_int32({1}, {1}), {}, ts::existing::replace);
  EXPECT_EQ(num_erased, 1);
  EXPECT_THAT(known_in(*inner), ElementsAre("first"));
}

TEST(Zmetadata, KeepsTheRestLetterForLetter) {
  const temporary_directory directory;
  const auto store = group_in(directory / "g.zarr");
  const std::string rest =
      R"("x/.zattrs": {"id":   123456789012345678901234567890, "a": "\ud800", "b": NaN,"b":1},)"
      R"( "other": [1e999])";
  put(*store, ".zmetadata",
      R"({"by": "hand", "zarr_consolidated_format": 1, "metadata": {)" + rest + "}}");
  make_array(store, "u");
  EXPECT_THAT(text_of(*store, ".zmetadata"), HasSubstr(R"({"by": "hand", "zarr_consol)"));
  for (const char* part :
       {R"("id":   123456789012345678901234567890, "a": "\ud800", "b": NaN,"b":1})",
        "\"other\": [1e999]", "\"u/.zarray\": "}) {
    EXPECT_THAT(text_of(*store, ".zmetadata"), HasSubstr(part));
  }
  EXPECT_THAT(ts::zarr_group::open(store, "").arrays(), ElementsAre("u"));
}

TEST(Zmetadata, DoesNotHideWhatOthersCreatedSince) {
  const temporary_directory directory;
  const auto store = group_in(directory / "g.zarr");
  const auto before = ts::zarr_group::open(store, "");
  make_array(store, "second");
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { make_array(before.store(), "second"); }),
              HasSubstr("one is there"));
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { make_array(before.store(), "second/inner"); }),
              HasSubstr("g.zarr/second is an array"));
}

// One attribute that is wrong hides neither the other attributes nor the arrays.
TEST(Zmetadata, OpensWithAttributesThatAreWrong) {
  const temporary_directory directory;
  const auto store = group_in(directory / "g.zarr");
  put(*store, "first/.zattrs", R"({"a": 1, "a": 2, "b": 3})");
  ts::consolidate(ts::zarr_group::open(store, ""));
  const auto array = ts::zarr_group::open(store, "").array("first");
  EXPECT_EQ(array.attributes().get<std::int64_t>("b"), 3);
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { (void)array.attributes().find("a"); }),
              HasSubstr("first/.zattrs: the attribute \"a\" cannot be read: its name occurs 2"));
}

TEST(Zmetadata, KnowsWhatIsMadeAndRemovedThroughALink) {
  const temporary_directory directory;
  const store_pointer store = group_in(directory / "a");
  (void)ts::zarr_group::create(store, "sub");
  fs::create_directory_symlink(directory / "a/sub", directory / "link");
  make_array(std::make_shared<ts::filesystem_store>(directory / "link"), "second");
  EXPECT_THAT(known_in(*store), ElementsAre("first", "sub/second"));
  ts::zarr_group::open(directory / "link").erase("second");
  EXPECT_THAT(known_in(*store), ElementsAre("first"));
}

TEST(Zmetadata, OfBothGroupsKnowWhatIsMadeInAMemberThatIsALink) {
  const temporary_directory directory;
  const store_pointer store = group_in(directory / "a");
  const store_pointer linking = group_in(directory / "b");
  (void)ts::zarr_group::create(store, "sub");
  fs::create_directory_symlink(directory / "a/sub", directory / "b/member");
  make_array(linking, "member/second");
  EXPECT_THAT(known_in(*store), ElementsAre("first", "sub/second"));
  EXPECT_THAT(known_in(*linking), ElementsAre("first", "member/second"));
}

}  // namespace
