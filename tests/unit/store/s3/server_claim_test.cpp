// SPDX-License-Identifier: Apache-2.0
/// \file
/// Claims in a bucket of radosgw, and runs whose work directory is in it, of several processes.

#include "store/s3/server_claim.hpp"

#include "tessera/store/open_store.hpp"
#include "tessera/store/run_directory.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "unit/store/s3/radosgw.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::vector<std::string> claims_of(key_value_store& store, std::string_view key) {
  std::vector<std::string> texts;
  static_cast<void>(store.claim(key, "", [&](const auto& others) { texts = others; }));
  return texts;
}

void admit(const std::vector<std::string>& /*claims*/) {}

/// A child that does its work and stays, until this object kills it.
class staying_child {
 public:
  explicit staying_child(const std::function<void()>& work) {
    int ready[2];
    if (::pipe(ready) != 0) throw std::runtime_error("there is no pipe");
    process_ = ::fork();
    if (process_ == 0) stay(work, ready[1]);
    ::close(ready[1]);
    char letter = 0;
    is_ready_ = ::read(ready[0], &letter, 1) == 1;
    ::close(ready[0]);
  }
  staying_child(const staying_child&) = delete;
  staying_child& operator=(const staying_child&) = delete;
  ~staying_child() { end(); }

  [[nodiscard]] bool is_ready() const { return is_ready_; }
  void end() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  [[noreturn]] static void stay(const std::function<void()>& work, int ready) {
    try {
      work();
    } catch (...) {
      ::_exit(1);
    }
    const bool is_told = ::write(ready, "r", 1) == 1;
    while (is_told) ::pause();
    ::_exit(1);
  }

  pid_t process_ = -1;
  bool is_ready_ = false;
};

TEST(ServerClaim, IsSeenByOtherProcessesUntilItsProcessIsKilled) {
  const auto store = new_radosgw_store();
  std::unique_ptr<store_claim> claim;
  staying_child child([&] { claim = store->claim("a/x", "of the child", admit); });
  ASSERT_TRUE(child.is_ready());
  EXPECT_THAT(claims_of(*store, "a/x"), ElementsAre("of the child"));
  child.end();
  EXPECT_THAT(claims_of(*store, "a/x"), IsEmpty());
}

TEST(ServerClaim, OfAKilledProcessThatHadTheTurnDelaysNobody) {
  const auto store = new_radosgw_store();
  staying_child child([&] {
    const auto turn = store->claim("a/x", "", [](const auto&) { ::kill(::getpid(), SIGKILL); });
  });
  EXPECT_FALSE(child.is_ready());
  child.end();
  EXPECT_THAT(claims_of(*store, "a/x"), IsEmpty());
}

TEST(ServerClaim, EndsWithTheFolderOfItsKey) {
  const auto store = new_radosgw_store();
  const auto claim = store->claim("a/x", "text", admit);
  const auto judged = store->claim("a/y", "text", [&](const auto&) { store->erase_all("a"); });
  EXPECT_FALSE(claim->is_held());
  EXPECT_FALSE(judged->is_held());
}

TEST(ServerClaim, IsHiddenFromListsAndStates) {
  const auto store = new_radosgw_store();
  const std::string before = store->state("");
  const auto claim = store->claim("a/x", "text", admit);
  EXPECT_THAT(store->list(""), IsEmpty());
  EXPECT_THAT(store->list_folder("a"), IsEmpty());
  EXPECT_EQ(store->state(""), before);
  EXPECT_TRUE(s3::is_of_claims("a/.tessera-claims-of-x.__lock/.turn"));
  EXPECT_FALSE(s3::is_of_claims("a/.tessera-claims-of-x/0"));
}

TEST(ServerClaim, OfAnotherMachineIsGoneAfterASilence) {
  const std::string_view writer = ".feed-1-2-3-4.partial";
  EXPECT_FALSE(s3::is_gone(writer, s3::longest_silence));
  EXPECT_TRUE(s3::is_gone(writer, s3::longest_silence + seconds(1)));
}

/// Creates a value in a child, which is killed after a time. Returns whether it was done.
bool creates_in_child(const std::string& location, std::string_view key,
                      std::optional<milliseconds> life) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const bool is_new = open_store(location)->write_if(key, {}, {});
      ::_exit(is_new ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
  }
  if (life) {
    std::this_thread::sleep_for(*life);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(ConditionsOfServers, AreTestedWithoutATraceOfKilledProcesses) {
  // No other test knows the server by this name, so that each child tests its conditions.
  std::string location = radosgw_bucket() + "/killed";
  location.replace(location.find("127.0.0.1"), 9, "localhost");
  const auto store = std::dynamic_pointer_cast<s3::s3_store>(open_store(location));
  ASSERT_TRUE(store);
  for (int life = 1; life <= 40; life += 3) {
    static_cast<void>(creates_in_child(location, "of the killed", milliseconds(life)));
  }
  EXPECT_TRUE(creates_in_child(location, "value", std::nullopt));
  // The request of a killed child may still arrive: the next child removes its claim.
  const auto claims = [&] { return store->names_of_claims(std::string(s3::folder_of_tests)); };
  for (int i = 0; i < 20 && !claims().empty(); ++i) {
    static_cast<void>(creates_in_child(location, "value", std::nullopt));
  }
  EXPECT_THAT(claims(), IsEmpty());
  const std::vector<std::string> keys = store->list("");
  EXPECT_THAT(keys, ::testing::Contains("value"));
  EXPECT_THAT(keys, ::testing::IsSubsetOf({"of the killed", "value"}));
  EXPECT_TRUE(s3::is_of_claims(".tessera-conditions.__lock/x"));
}

TEST(StoredRunOnS3, GoesOnWhenItsProcessIsKilled) {
  const std::string work = radosgw_bucket() + "/work";
  const std::string identity = "0123456789abcdef0123456789abcdef";
  std::optional<run_directory> of_child;
  staying_child child([&] {
    of_child.emplace(work, identity, "the plan");
    open_store(of_child->name())->write("x/0", std::as_bytes(std::span(std::string_view("abc"))));
  });
  ASSERT_TRUE(child.is_ready());
  const auto runs = unfinished_runs(work);
  ASSERT_THAT(runs, ElementsAre(Field(&unfinished_run::is_running, true)));
  EXPECT_EQ(runs[0].size, bytes{11});
  {
    run_directory beside(work, identity, "the plan");
    EXPECT_FALSE(beside.is_resumed());
    beside.remove();
  }
  EXPECT_EQ(remove_unfinished_runs(work), 0U);
  child.end();
  run_directory run(work, identity, "the plan");
  EXPECT_TRUE(run.is_resumed());
  EXPECT_TRUE(open_store(run.name())->exists("x/0"));
  run.remove();
  EXPECT_THAT(unfinished_runs(work), IsEmpty());
  EXPECT_THAT(open_store(work)->list(""), IsEmpty());
}

}  // namespace
}  // namespace tessera::testing
