// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "store/api/heartbeat.hpp"
#include "store/claim_slots.hpp"
#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using ts::testing::temporary_directory;

void admit(const std::vector<std::string>& /*claims*/) {}

void refuse_any(const std::vector<std::string>& claims) {
  if (!claims.empty()) throw ts::value_error("there is another claim");
}

/// Takes the locks of open files from this process. Of the commands of fcntl, theirs have this bit:
/// other commands, by which folders are read, work.
void refuse_locks() {
  constexpr std::uint32_t bit_of_locks = 0x20;
  static_assert((F_OFD_SETLK & bit_of_locks) != 0 && (F_OFD_SETLKW & bit_of_locks) != 0);
  ts::testing::strike_system_call(SYS_fcntl, ts::testing::fails_with(ENOLCK), bit_of_locks, 1);
}

/// Runs `body` in a child in which the file system has no locks of open files. Whatever `body`
/// expects is an expectation of the test: the child tells of a failure by its status.
int without_locks(const std::function<void()>& body) {
  const pid_t child = ts::testing::in_child([&] {
    refuse_locks();
    body();
    return testing::Test::HasFailure() ? 1 : 0;
  });
  return ts::testing::status_of(child);
}

std::vector<std::string> claims_beside(ts::filesystem_store& store) {
  std::vector<std::string> claims;
  static_cast<void>(store.claim("a/x", "other", [&](const auto& texts) { claims = texts; }));
  return claims;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

void set_age(const fs::path& path, std::chrono::seconds age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

TEST(BeatingClaim, IsSeenByOthersUntilItEnds) {
  const temporary_directory directory;
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory / "b");
              auto first = store.claim("a/x", "first", admit);
              EXPECT_TRUE(first->is_held());
              EXPECT_THAT(claims_beside(store), ElementsAre("first"));
              {
                const auto of_other_key = store.claim("a/x.y", "y", admit);
                EXPECT_THAT(claims_beside(store), ElementsAre("first"));
              }
              first.reset();
              EXPECT_THAT(claims_beside(store), IsEmpty());
            }),
            0);
  EXPECT_FALSE(fs::exists(directory / "b"));
}

TEST(BeatingClaim, IsInNoListOfTheStore) {
  const temporary_directory directory;
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory.path().string());
              store.write("a/0", {});
              const auto claim = store.claim("a/x", "first", [&](const auto&) {
                EXPECT_THAT(store.list_folder("a"), ElementsAre("0"));
                EXPECT_THAT(store.list(""), ElementsAre("a/0"));
              });
              EXPECT_THAT(store.list_folder("a"), ElementsAre("0"));
              EXPECT_THAT(store.list(""), ElementsAre("a/0"));
            }),
            0);
}

TEST(BeatingClaim, IsNotHeldOnceItsFolderIsRemoved) {
  const temporary_directory directory;
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory.path().string());
              const auto claim = store.claim("a/x", "first", admit);
              store.erase_all("a");
              EXPECT_FALSE(claim->is_held());
              const auto removing =
                  store.claim("a/x", "second", [&](const auto&) { store.erase_all("a"); });
              EXPECT_FALSE(removing->is_held());
            }),
            0);
}

TEST(BeatingClaim, ThatIsRefusedLeavesNothing) {
  const temporary_directory directory;
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory.path().string());
              const auto first = store.claim("a/x", "first", admit);
              EXPECT_THROW(static_cast<void>(store.claim("a/x", "no", refuse_any)),
                           ts::value_error);
              EXPECT_THAT(claims_beside(store), ElementsAre("first"));
            }),
            0);
  EXPECT_FALSE(fs::exists(directory / "a"));
}

// The processes of another machine cannot be seen. Its files are judged by their times.
TEST(BeatingClaim, OfAnotherMachineLastsAsLongAsItIsRenewed) {
  const temporary_directory directory;
  const std::string writer = ".1-1-1-1-1.partial";
  const fs::path folder = directory / "a/.tessera-claims-of-x.__lock";
  fs::create_directories(folder / "turn");
  std::ofstream(folder / writer) << "of another machine";
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory.path().string());
              set_age(folder / writer, std::chrono::seconds(30));
              EXPECT_THAT(claims_beside(store), ElementsAre("of another machine"));
              fs::create_directory(folder / "turn");
              std::ofstream(folder / "turn" / writer) << "";
              set_age(folder / "turn" / writer, std::chrono::seconds(70));
              set_age(folder / writer, std::chrono::seconds(70));
              EXPECT_THAT(claims_beside(store), IsEmpty());
            }),
            0);
  EXPECT_THAT(names_in(directory / "a"), IsEmpty());
}

TEST(BeatingClaim, IsRenewedByAHeartbeat) {
  const temporary_directory directory;
  const fs::path file = directory / "f";
  std::ofstream(file) << "";
  set_age(file, std::chrono::hours(1));
  const auto before = fs::last_write_time(file);
  ts::detail::heartbeat beats{std::chrono::milliseconds(1)};
  beats.add(file.string());
  while (fs::last_write_time(file) == before) std::this_thread::yield();
  // A file of two claims is renewed until both have ended.
  beats.add(file.string());
  beats.remove(file.string());
  set_age(file, std::chrono::hours(1));
  while (fs::last_write_time(file) < before + std::chrono::minutes(30)) std::this_thread::yield();
  beats.remove(file.string());
  EXPECT_NE(&ts::detail::heartbeat::of_process(), nullptr);
}

/// Locks a file that no other process may have locked: the kernel's lock is the witness that claims
/// exclude each other. It ends with its process before the process counts as gone.
class witness {
 public:
  explicit witness(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CREAT, 0666)) {
    is_alone_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  witness(const witness&) = delete;
  witness& operator=(const witness&) = delete;
  ~witness() { ::close(file_); }
  [[nodiscard]] bool is_alone() const { return is_alone_; }

 private:
  int file_;
  bool is_alone_;
};

enum class locks { absent, present };

/// Claims "a/x" so many times, alone. Returns 0 if no other process had a claim at the same time,
/// nor, without locks, the turn.
int claim_alone(const temporary_directory& directory, int num_claims, locks kind) {
  if (kind == locks::absent) refuse_locks();
  ts::filesystem_store store(directory / "s");
  for (int done = 0; done < num_claims;) {
    bool had_turn_alone = true;
    try {
      const auto claim = store.claim("a/x", "alone", [&](const auto& claims) {
        if (kind == locks::absent) {
          const witness turn(directory / "turn");
          had_turn_alone = turn.is_alone();
        }
        refuse_any(claims);
      });
      const witness holder(directory / "holder");
      if (!holder.is_alone() || !had_turn_alone || !claim->is_held()) return 1;
      ++done;
    } catch (const ts::value_error&) {
      if (!had_turn_alone) return 1;
    }
  }
  return 0;
}

/// Lets processes of the given kinds claim "a/x" until each has claimed it so many times, kills
/// some of them, and expects that nothing is left.
void claim_and_kill(const std::vector<locks>& kinds) {
  const temporary_directory directory;
  constexpr int num_kills = 30;
  std::mt19937 random(20240917);
  const auto start = [&](locks kind) {
    return ts::testing::in_child([&] { return claim_alone(directory, 40, kind); });
  };
  std::vector<pid_t> children;
  for (const locks kind : kinds) children.push_back(start(kind));
  for (int i = 0; i < num_kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    const std::size_t victim = random() % children.size();
    ::kill(children[victim], SIGKILL);
    const int status = ts::testing::status_of(children[victim]);
    EXPECT_TRUE(status == 0 || status == SIGKILL) << status;
    children[victim] = start(kinds[victim]);
  }
  for (const pid_t child : children) EXPECT_EQ(ts::testing::status_of(child), 0);
  ts::filesystem_store store(directory / "s");
  EXPECT_THAT(claims_beside(store), IsEmpty());
  EXPECT_EQ(without_locks([&] { EXPECT_THAT(claims_beside(store), IsEmpty()); }), 0);
  // The first write into a folder removes unfinished files of processes that were killed.
  store.write("a/0", {});
  store.erase("a/0");
  EXPECT_FALSE(fs::exists(directory / "s/a") && !names_in(directory / "s/a").empty());
}

TEST(BeatingClaim, ExcludesOtherProcessesThoughSomeAreKilled) {
  claim_and_kill(std::vector<locks>(4, locks::absent));
}

TEST(BeatingClaim, ExcludesClaimsByLocksThoughSomeProcessesAreKilled) {
  claim_and_kill({locks::absent, locks::present, locks::absent, locks::present});
}

/// A process that claims "a/x" and waits until it is killed.
class claiming_process {
 public:
  claiming_process(ts::filesystem_store& store, locks kind) {
    if (::pipe(ends_) != 0) throw std::runtime_error("no pipe");
    child_ = ts::testing::in_child([&] {
      if (kind == locks::absent) refuse_locks();
      const auto claim = store.claim("a/x", "of a process", admit);
      if (::write(ends_[1], "", 1) == 1) ::pause();
      return 0;
    });
    char byte = 0;
    if (::read(ends_[0], &byte, 1) != 1) throw std::runtime_error("no claim");
  }
  claiming_process(const claiming_process&) = delete;
  claiming_process& operator=(const claiming_process&) = delete;
  ~claiming_process() {
    kill();
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  void kill() {
    if (child_ < 0) return;
    ::kill(child_, SIGKILL);
    (void)ts::testing::status_of(child_);
    child_ = -1;
  }

 private:
  int ends_[2];
  pid_t child_ = -1;
};

TEST(ClaimOfAHostWithoutLocks, IsSeenByHostsWithLocks) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  claiming_process process(store, locks::absent);
  EXPECT_THAT(claims_beside(store), ElementsAre("of a process"));
  EXPECT_THROW(static_cast<void>(store.claim("a/x", "no", refuse_any)), ts::value_error);
  process.kill();
  EXPECT_THAT(claims_beside(store), IsEmpty());
  EXPECT_FALSE(fs::exists(directory / "a") && !names_in(directory / "a").empty());
}

TEST(ClaimOfAHostWithLocks, IsSeenByHostsWithoutLocks) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  claiming_process process(store, locks::present);
  EXPECT_EQ(without_locks([&] {
              EXPECT_THAT(claims_beside(store), ElementsAre("of a process"));
              EXPECT_THROW(static_cast<void>(store.claim("a/x", "no", refuse_any)),
                           ts::value_error);
            }),
            0);
  // The owner of the other claim is on this machine, and can be seen to be gone.
  process.kill();
  EXPECT_EQ(without_locks([&] { EXPECT_THAT(claims_beside(store), IsEmpty()); }), 0);
}

// The judge may change the array.
TEST(ClaimOfAHostWithLocks, IsJudgedOnceBesideClaimsWithoutLocks) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  claiming_process process(store, locks::absent);
  std::vector<std::vector<std::string>> judged;
  const auto claim = store.claim(
      "a/x", "text", [&](const std::vector<std::string>& texts) { judged.push_back(texts); });
  EXPECT_THAT(judged, ElementsAre(ElementsAre("of a process")));
}

TEST(ClaimOfAHostWithLocks, IsSeenByHostsWithoutLocksUntilItEnds) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  const auto first = store.claim("a/x", "first", admit);
  {
    const auto second = store.claim("a/x", "second", admit);
    EXPECT_EQ(
        without_locks([&] { EXPECT_THAT(claims_beside(store), ElementsAre("first", "second")); }),
        0);
  }
  EXPECT_EQ(without_locks([&] { EXPECT_THAT(claims_beside(store), ElementsAre("first")); }), 0);
  EXPECT_TRUE(first->is_held());
}

// The processes of another machine cannot be seen, and neither can their locks.
TEST(ClaimOfAHostWithLocks, LastsAsLongAsItsFileIsRenewed) {
  const temporary_directory directory;
  ts::filesystem_store store(directory.path().string());
  const auto here = store.claim("a/x", "here", admit);
  const std::string file = ts::detail::slots_of_claims(directory / "a/x");
  const int opened = ::open(file.c_str(), O_RDWR);
  ASSERT_EQ(ts::detail::write_slot(opened, 2, {"there", ".1-1-1-1-1.partial"}), 0);
  set_age(file, std::chrono::seconds(30));
  EXPECT_EQ(without_locks([&] { EXPECT_THAT(claims_beside(store), ElementsAre("here", "there")); }),
            0);
  set_age(file, std::chrono::seconds(70));
  EXPECT_EQ(without_locks([&] { EXPECT_THAT(claims_beside(store), ElementsAre("here")); }), 0);
  EXPECT_EQ(ts::detail::read_slot(opened, 2, "a/x", file), ts::detail::claim_slot{});
  // A host without locks empties the slot of an owner that was silent for too long.
  EXPECT_TRUE(here->is_held());
  ASSERT_EQ(ts::detail::write_slot(opened, 1, {}), 0);
  EXPECT_FALSE(here->is_held());
  ::close(opened);
}

TEST(ClaimOfAHostWithLocks, NeedsNoHeartbeatWhereNoOtherHostIs) {
  const temporary_directory directory;
  const int here = ::open(directory.path().c_str(), O_RDONLY);
  EXPECT_TRUE(ts::detail::is_of_this_machine(here));
  const int unknown = ::open("/proc", O_RDONLY);
  EXPECT_FALSE(ts::detail::is_of_this_machine(unknown));
  ::close(here);
  ::close(unknown);
}

}  // namespace
