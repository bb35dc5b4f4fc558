// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The messages between ranks, and a communicator whose ranks do not spin while they wait.

#include <array>
#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

namespace tessera::mpi {

/// The subject of a message; the tag under which it travels.
enum class subject : int { invitation, batch, cancel, answer, outcome, arrival };

/// The text of a batch after which a rank gives back the memory of its tasks.
inline const std::string gives_back = "gives back";

/// Numbers and a text, from one rank to another.
struct message {
  subject about{};
  int from = 0;
  std::array<std::int64_t, 12> numbers{};
  std::string text;
};

/// Throws: error <- an MPI function, named by `call`, returned `code` and that is a failure.
void check(int code, const char* call);

/// The sleep of a waiting rank before it looks again: none for a while, then longer and
/// longer. A blocking receive would keep a core busy.
class patience {
 public:
  explicit patience(std::chrono::microseconds longest = std::chrono::milliseconds{1})
      : longest_(longest) {}

  /// Returns the next pause; zero: look again at once, after a yield.
  [[nodiscard]] std::chrono::microseconds next_pause();

  /// Takes the next pause.
  void pause();

 private:
  using clock = std::chrono::steady_clock;
  std::chrono::microseconds longest_;
  clock::time_point start_ = clock::now();
  std::chrono::microseconds last_{0};
};

/// A duplicate of a communicator.
///
/// Threads: used by one thread, that which may call MPI.
class communicator {
 public:
  /// Collective.
  explicit communicator(MPI_Comm from);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  /// Collective, but for a program that has finalised MPI.
  ~communicator();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// Whether all ranks share one host's memory.
  [[nodiscard]] bool is_on_one_host() const { return is_on_one_host_; }
  /// Whether all ranks can map shared memory of the first one.
  [[nodiscard]] bool maps_memory() const { return maps_memory_; }

  /// Returns when the message's memory may be used again.
  ///
  /// A short one is on its way at once; a long one waits until `to` receives, so two ranks must not
  /// send one another long ones at the same time.
  void send(int to, const message& content) const;

  /// Returns a message that has arrived, or nothing. Messages from one rank come in the order in
  /// which they were sent.
  [[nodiscard]] std::optional<message> receive(int from, int tag = MPI_ANY_TAG) const;

  /// Returns the next message, and sleeps until it is there.
  [[nodiscard]] message wait_for(int from, int tag = MPI_ANY_TAG) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  bool is_on_one_host_ = true;
  bool maps_memory_ = true;
};

}  // namespace tessera::mpi
