// SPDX-License-Identifier: Apache-2.0
#include "executor/mpi/leader.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/process_group.hpp"

#include "core/api/host_name.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tessera::mpi {

namespace {

/// The longest pause between polls for completions, shorter than that of an idle rank.
constexpr std::chrono::microseconds longest_pause{200};

/// The number of bound batches that a rank holds at once: it runs the next batch while its answer
/// to the previous batch is on its way.
constexpr std::size_t max_bound_batches = 2;

/// Invites all ranks to the run, and waits for their answers. Returns the starts of all ranks.
///
/// After a refusal it still receives the remaining answers: each rank answers, and then waits for
/// the outcome of the run.
std::vector<worker_start> agree(const workload_recipe& recipe, const communicator& comm,
                                const session_clock& clock) {
  const session_time asked = clock.now();
  std::vector<worker_start> starts{{0, host_name(), asked, asked}};
  message order{subject::invitation, 0, {}, recipe.kind + '\n' + recipe.content};
  order.numbers[0] = static_cast<std::int64_t>(recipe.kind.size());
  for (int rank = 1; rank < comm.size(); ++rank) comm.send(rank, order);
  std::string refusal;
  for (int rank = 1; rank < comm.size(); ++rank) {
    const message answer = comm.wait_for(rank, static_cast<int>(subject::answer));
    const bool is_refusal = answer.numbers[0] != 0;
    if (is_refusal && refusal.empty()) refusal = answer.text;
    starts.push_back({static_cast<std::size_t>(rank), answer.text, asked, clock.now()});
  }
  if (!refusal.empty()) std::rethrow_exception(decode_failure(refusal));
  return starts;
}

task_completion completion_of(const message& answer, session_time now) {
  const auto [ticket, done, duration, memory, read, written, requests, encoded_read,
              encoded_written, storage_time, codec_time, unused] = answer.numbers;
  task_completion completion{static_cast<std::uint64_t>(ticket),
                             done,
                             answer.text.empty() ? nullptr : decode_failure(answer.text),
                             static_cast<std::size_t>(answer.from),
                             now - session_time(duration),
                             now,
                             bytes{memory}};
  const traffic moved{.read = bytes{read},
                      .written = bytes{written},
                      .requests = static_cast<std::uint64_t>(requests),
                      .encoded_read = bytes{encoded_read},
                      .encoded_written = bytes{encoded_written},
                      .storage_time = session_time(storage_time),
                      .codec_time = session_time(codec_time)};
  if (done > 0) completion.moved = moved;
  return completion;
}

/// Throws: value_error <- tasks of `work` are bound to ranks.
void refuse_bound_tasks(workload& work) {
  const group_work& together = group_work_of(work);
  for (std::size_t operation = 0; operation < work.operations().size(); ++operation) {
    if (!together.is_bound_to_workers(operation)) continue;
    throw value_error(
        "mpi: a part of the ranks shall run tasks, but each rank has data of its own; let all "
        "ranks run tasks");
  }
}

}  // namespace

leader_session::leader_session(workload& work, const communicator& comm, std::size_t num_workers,
                               bool may_work)
    : comm_(comm),
      first_(may_work ? 0 : 1),
      end_(num_workers),
      ranks_(static_cast<std::size_t>(comm.size())),
      local_(work, clock_, may_work) {
  starts_ = agree(group_work_of(work).invitation(), comm, clock_);
  starts_.resize(std::min(starts_.size(), num_workers));
  if (end_ < ranks_.size()) refuse_bound_tasks(work);
}

leader_session::~leader_session() {
  cancel();
  // A rank answers every batch, also after a cancellation.
  patience waiting(longest_pause);
  const auto is_busy = [](const rank_state& rank) { return !rank.sent.empty(); };
  while (std::any_of(ranks_.begin(), ranks_.end(), is_busy)) {
    if (!poll()) waiting.pause();
  }
}

void leader_session::submit(const task_batch& batch, std::uint64_t ticket) {
  const submission next{batch, ticket};
  if (is_cancelled_) {
    dropped_.push_back({ticket, 0, nullptr, 0, now(), now()});
    return;
  }
  if (batch.worker != any_worker) {
    ranks_.at(batch.worker).bound.push_back(next);
    supply(batch.worker);
  } else {
    queue_.push_back(next);
    supply(idle_rank());
  }
}

/// Returns an idle rank for batches without a bound worker, or the number of ranks if all are busy.
std::size_t leader_session::idle_rank() const {
  const auto at = [this](std::size_t rank) {
    return ranks_.begin() + static_cast<std::ptrdiff_t>(rank);
  };
  const auto is_idle = [](const rank_state& rank) { return rank.sent.empty(); };
  const auto idle = std::find_if(at(first_), at(end_), is_idle);
  return idle == at(end_) ? ranks_.size() : static_cast<std::size_t>(idle - ranks_.begin());
}

/// Sends a rank its waiting batches, up to the number that it may hold.
void leader_session::supply(std::size_t rank) {
  if (rank >= ranks_.size()) return;
  rank_state& to = ranks_[rank];
  while (!to.bound.empty() && to.sent.size() < max_bound_batches) hand_over(rank, to.bound);
  if (to.sent.empty() && rank >= first_ && rank < end_ && !queue_.empty()) hand_over(rank, queue_);
}

void leader_session::hand_over(std::size_t rank, std::deque<submission>& source) {
  const submission next = source.front();
  source.pop_front();
  ranks_[rank].sent.push_back(next.ticket);
  note_start(rank);
  if (rank == 0) return local_.submit(next);
  comm_.send(static_cast<int>(rank),
             {subject::batch,
              0,
              {static_cast<std::int64_t>(next.ticket),
               static_cast<std::int64_t>(next.batch.operation), next.batch.first, next.batch.count},
              next.batch.may_keep ? std::string{} : gives_back});
}

std::optional<task_completion> leader_session::wait(std::optional<session_time> until) {
  patience waiting(longest_pause);
  while (true) {
    if (auto completion = poll()) return completion;
    if (until && now() >= *until) return std::nullopt;
    // A task that ends on this rank ends the pause; a message of another rank does not.
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

/// Records the answer of a rank, and sends it a further batch.
void leader_session::complete(const task_completion& completion) {
  started_.erase(completion.ticket);
  std::erase(ranks_[completion.worker].sent, completion.ticket);
  note_start(completion.worker);
  supply(completion.worker);
}

/// Records the start of the first batch that a rank holds.
void leader_session::note_start(std::size_t rank) {
  const std::deque<std::uint64_t>& sent = ranks_[rank].sent;
  if (!sent.empty()) started_.try_emplace(sent.front(), now());
}

std::vector<worker_start> leader_session::started_workers() { return std::exchange(starts_, {}); }

void leader_session::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  const auto drop = [this](std::deque<submission>& queue) {
    for (const submission& waiting : queue) {
      dropped_.push_back({waiting.ticket, 0, nullptr, 0, now(), now()});
    }
    queue.clear();
  };
  drop(queue_);
  for (rank_state& rank : ranks_) drop(rank.bound);
  local_.cancel();
  for (int rank = 1; rank < comm_.size(); ++rank) comm_.send(rank, {subject::cancel, 0, {}, {}});
}

std::optional<session_time> leader_session::started(std::uint64_t ticket) const {
  const auto entry = started_.find(ticket);
  if (entry == started_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace tessera::mpi
