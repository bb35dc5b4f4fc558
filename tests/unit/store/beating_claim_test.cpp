// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include "store/heartbeat.hpp"
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

/// Claims "a/x" so many times, alone. Returns 0 if no other process had a claim or the turn at the
/// same time.
int claim_alone(const temporary_directory& directory, int num_claims) {
  refuse_locks();
  ts::filesystem_store store(directory / "s");
  for (int done = 0; done < num_claims;) {
    bool had_turn_alone = true;
    try {
      const auto claim = store.claim("a/x", "alone", [&](const auto& claims) {
        const witness turn(directory / "turn");
        had_turn_alone = turn.is_alone();
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

TEST(BeatingClaim, ExcludesOtherProcessesThoughSomeAreKilled) {
  const temporary_directory directory;
  constexpr int num_processes = 4;
  constexpr int num_kills = 30;
  std::mt19937 random(20240917);
  std::vector<pid_t> children;
  const auto start = [&] {
    children.push_back(ts::testing::in_child([&] { return claim_alone(directory, 40); }));
  };
  for (int i = 0; i < num_processes; ++i) start();
  for (int i = 0; i < num_kills; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    const std::size_t victim = random() % children.size();
    ::kill(children[victim], SIGKILL);
    const int status = ts::testing::status_of(children[victim]);
    EXPECT_TRUE(status == 0 || status == SIGKILL) << status;
    children.erase(children.begin() + static_cast<std::ptrdiff_t>(victim));
    start();
  }
  for (const pid_t child : children) EXPECT_EQ(ts::testing::status_of(child), 0);
  EXPECT_EQ(without_locks([&] {
              ts::filesystem_store store(directory / "s");
              EXPECT_THAT(claims_beside(store), IsEmpty());
            }),
            0);
  EXPECT_FALSE(fs::exists(directory / "s/a") && !names_in(directory / "s/a").empty());
}

}  // namespace
