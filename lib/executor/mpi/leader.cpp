// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/leader.hpp"

#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/team.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::mpi {

namespace {

/// While tasks are under way their ends are looked for more often than a rank looks for work.
constexpr std::chrono::microseconds longest_pause{200};

/// So many of the batches that only it may run a rank has at once: it goes on with the next while
/// its answer is on its way.
constexpr std::size_t most_own_batches = 2;

/// Gives all ranks the invitation, and waits until each has made of it what it can.
///
/// Every answer is waited for, also after one that refuses: the ranks then wait for the outcome.
void agree(const workload_recipe& own, const communicator& comm) {
  message order{subject::invitation, 0, {}, own.kind + '\n' + own.content};
  order.numbers[0] = static_cast<std::int64_t>(own.kind.size());
  for (int rank = 1; rank < comm.size(); ++rank) comm.send(rank, order);
  std::string refusal;
  for (int rank = 1; rank < comm.size(); ++rank) {
    const message answer = comm.wait_for(rank, static_cast<int>(subject::answer));
    if (refusal.empty()) refusal = answer.text;
  }
  if (!refusal.empty()) std::rethrow_exception(decode_failure(refusal));
}

task_completion completion_of(const message& answer, session_time now) {
  const auto [ticket, done, duration, unused] = answer.numbers;
  return {static_cast<std::uint64_t>(ticket),
          done,
          answer.text.empty() ? nullptr : decode_failure(answer.text),
          static_cast<std::size_t>(answer.from),
          now - session_time(duration),
          now};
}

}  // namespace

leader_session::leader_session(workload& work, const communicator& comm, bool may_work)
    : comm_(comm),
      first_(may_work ? 0 : 1),
      places_(static_cast<std::size_t>(comm.size())),
      local_(work, clock_, may_work) {
  agree(teamwork_of(work).invitation(), comm);
}

leader_session::~leader_session() {
  cancel();
  // What is sent to a rank is answered, whatever becomes of it.
  patience waiting(longest_pause);
  const auto is_busy = [](const place& each) { return !each.given.empty(); };
  while (std::any_of(places_.begin(), places_.end(), is_busy)) {
    if (!poll()) waiting.pause();
  }
}

void leader_session::submit(const task_batch& batch, std::uint64_t ticket) {
  const submission what{batch, ticket};
  if (is_cancelled_) {
    dropped_.push_back({ticket, 0, nullptr, 0, now(), now()});
    return;
  }
  if (batch.worker != any_worker) {
    places_.at(batch.worker).own.push_back(what);
    supply(batch.worker);
  } else {
    queue_.push_back(what);
    supply(idle_rank());
  }
}

/// Returns a rank that may run what any may run, or the number of ranks if all are busy.
std::size_t leader_session::idle_rank() const {
  const auto begin = places_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto is_idle = [](const place& each) { return each.given.empty(); };
  return static_cast<std::size_t>(std::find_if(begin, places_.end(), is_idle) - places_.begin());
}

/// Hands a rank what waits for it, as far as it may have more.
void leader_session::supply(std::size_t rank) {
  if (rank >= places_.size()) return;
  place& to = places_[rank];
  while (!to.own.empty() && to.given.size() < most_own_batches) hand_over(rank, to.own);
  if (to.given.empty() && rank >= first_ && !queue_.empty()) hand_over(rank, queue_);
}

void leader_session::hand_over(std::size_t rank, std::deque<submission>& source) {
  const submission what = source.front();
  source.pop_front();
  places_[rank].given.push_back(what.ticket);
  note_start(rank);
  if (rank == 0) return local_.submit(what);
  comm_.send(static_cast<int>(rank),
             {subject::batch,
              0,
              {static_cast<std::int64_t>(what.ticket),
               static_cast<std::int64_t>(what.batch.operation), what.batch.first, what.batch.count},
              what.batch.may_keep ? std::string{} : gives_back});
}

std::optional<task_completion> leader_session::wait(std::optional<session_time> until) {
  patience waiting(longest_pause);
  while (true) {
    if (auto completion = poll()) return completion;
    if (until && now() >= *until) return std::nullopt;
    // A task that ends here ends the pause as well.
    if (const auto pause = waiting.next_pause(); pause.count() > 0) {
      local_.wait_for(pause);
    } else {
      std::this_thread::yield();
    }
  }
}

std::optional<task_completion> leader_session::poll() {
  if (!dropped_.empty()) {
    task_completion completion = std::move(dropped_.front());
    dropped_.pop_front();
    return completion;
  }
  std::optional<task_completion> completion = local_.take();
  if (!completion) {
    const auto answer = comm_.receive(MPI_ANY_SOURCE, static_cast<int>(subject::answer));
    if (!answer) return std::nullopt;
    completion = completion_of(*answer, now());
  }
  complete(*completion);
  return completion;
}

/// Notes that a rank has answered, and gives it another batch.
void leader_session::complete(const task_completion& completion) {
  started_.erase(completion.ticket);
  std::erase(places_[completion.worker].given, completion.ticket);
  note_start(completion.worker);
  supply(completion.worker);
}

/// Notes since when a rank runs the first batch that it has.
void leader_session::note_start(std::size_t rank) {
  const std::deque<std::uint64_t>& given = places_[rank].given;
  if (!given.empty()) started_.try_emplace(given.front(), now());
}

void leader_session::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  const auto drop = [this](std::deque<submission>& queue) {
    for (const submission& each : queue) {
      dropped_.push_back({each.ticket, 0, nullptr, 0, now(), now()});
    }
    queue.clear();
  };
  drop(queue_);
  for (place& each : places_) drop(each.own);
  local_.cancel();
  for (int rank = 1; rank < comm_.size(); ++rank) comm_.send(rank, {subject::cancel, 0, {}, {}});
}

std::optional<session_time> leader_session::started(std::uint64_t ticket) const {
  const auto found = started_.find(ticket);
  if (found == started_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tessera::mpi
