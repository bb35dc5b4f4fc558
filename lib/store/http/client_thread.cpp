// SPDX-License-Identifier: Apache-2.0
#include "store/http/client_thread.hpp"

#include "store/http/small_thread.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <utility>

namespace tessera::http {

namespace {

constexpr std::size_t max_connections = 256;
constexpr std::size_t max_idle = 64;
/// The attempts to reach a host that has never answered: its name may be wrong.
constexpr std::size_t max_unreachable = 3;

[[noreturn]] void throw_no_client(const char* reason) {
  throw store_error(std::string("the HTTP client cannot start: ") + reason, store_failure::passing);
}

}  // namespace

client_thread::client_thread() {
  idle_.reserve(max_idle);
  multi_ = curl_multi_init();
  if (multi_ == nullptr) throw_no_client("libcurl has no memory");
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, long{CURLPIPE_NOTHING});
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, long{max_connections});
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, long{host_limits::max_window});
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, long{host_limits::max_window});

  if (start_small_thread(thread_, &run_thread, this)) return;
  curl_multi_cleanup(multi_);
  throw_no_client("no thread can be made");
}

void client_thread::begin(const std::shared_ptr<request>& asked) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) throw store_error("the program is ending");
    begun_.push_back(asked);
  }
  curl_multi_wakeup(multi_);
}

void client_thread::give_up(const std::shared_ptr<request>& asked) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    given_up_.push_back(asked);
  }
  curl_multi_wakeup(multi_);
}

void client_thread::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  curl_multi_wakeup(multi_);
  pthread_join(thread_, nullptr);
}

void* client_thread::run_thread(void* self) {
  static_cast<client_thread*>(self)->run();
  return nullptr;
}

void client_thread::run() {
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = run_once();
    } catch (const std::exception&) {
      // There is no memory: the requests may be tried again.
      drop_handles();
      end_all(store_failure::passing, "there is no memory");
    }
  }
  // The handles stay, as libcurl would wait for the names that are looked up. The end of the
  // program closes their connections.
  end_all(store_failure::permanent, "the program is ending");
}

/// Returns false if the thread is stopped.
bool client_thread::run_once() {
  if (!take_orders()) return false;
  start_delayed();
  start_ready();
  int num_running = 0;
  curl_multi_perform(multi_, &num_running);
  finish_attempts();
  end_stalled();
  curl_multi_poll(multi_, nullptr, 0, milliseconds_to_next(), nullptr);
  return true;
}

/// Takes the requests that have begun or are given up. Returns false if the thread is stopped.
bool client_thread::take_orders() {
  std::vector<std::shared_ptr<request>> given_up;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return false;
    waiting_.swap(begun_);
    given_up.swap(given_up_);
  }
  for (std::shared_ptr<request>& asked : waiting_) {
    take_new(asked);
    asked.reset();
  }
  waiting_.clear();
  for (const std::shared_ptr<request>& asked : given_up) take_given_up(asked.get());
  return true;
}

void client_thread::take_new(std::shared_ptr<request> asked) {
  const request* const name = asked.get();
  auto work = std::make_unique<transfer>(std::move(asked));
  server& home = servers_[work->origin()];
  transfer* const next = work.get();
  entries_.emplace(name, entry{std::move(work), &home});
  home.ready.push_back(next);
}

void client_thread::take_given_up(const request* asked) {
  const auto position = entries_.find(asked);
  if (position == entries_.end()) return;
  entry& current = position->second;
  if (current.easy != nullptr) release(current);
  std::erase(current.home->ready, current.work.get());
  std::erase_if(delayed_, [&](const auto& next) { return next.second == asked; });
  current.work->fail(store_failure::passing, "the request was given up");
  end(current.work->asked());
}

void client_thread::start_delayed() {
  const clock::time_point now = clock::now();
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    entry& next = entries_.at(delayed_.begin()->second);
    next.home->ready.push_back(next.work.get());
    delayed_.erase(delayed_.begin());
  }
}

void client_thread::start_ready() {
  for (auto& [origin, home] : servers_) {
    while (!home.ready.empty() && home.num_active < home.limits.window() &&
           num_active_ < max_connections) {
      entry& next = entries_.at(&home.ready.front()->asked());
      home.ready.pop_front();
      ++home.num_active;
      ++num_active_;
      start(next);
    }
  }
}

/// Starts an attempt, which counts as active already.
void client_thread::start(entry& next) {
  if (idle_.empty()) {
    next.easy = curl_easy_init();
  } else {
    next.easy = idle_.back();
    idle_.pop_back();
  }
  if (next.easy != nullptr) {
    next.work->prepare(next.easy);
    if (curl_multi_add_handle(multi_, next.easy) == CURLM_OK) {
      next_stall_check_ = std::min(next_stall_check_, next.work->end_of_patience());
      return;
    }
    curl_easy_cleanup(std::exchange(next.easy, nullptr));
  }
  --next.home->num_active;
  --num_active_;
  next.work->fail(store_failure::passing, "libcurl has no memory");
  end(next.work->asked());
}

void client_thread::finish_attempts() {
  int num_left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi_, &num_left)) {
    // The message is gone once its handle is removed.
    if (message->msg == CURLMSG_DONE) conclude(message->easy_handle, message->data.result);
  }
}

/// Ends attempts that have stalled. A body that flows is not bounded in time, as a time-out of
/// libcurl would do.
void client_thread::end_stalled() {
  const clock::time_point now = clock::now();
  if (now < next_stall_check_) return;
  next_stall_check_ = now + std::chrono::seconds(1);
  std::vector<CURL*> stalled;
  for (const auto& [name, current] : entries_) {
    if (current.easy == nullptr) continue;
    const clock::time_point end = current.work->end_of_patience();
    if (end <= now) {
      stalled.push_back(current.easy);
    } else {
      next_stall_check_ = std::min(next_stall_check_, end);
    }
  }
  for (CURL* const easy : stalled) conclude(easy, CURLE_OPERATION_TIMEDOUT);
}

void client_thread::conclude(CURL* easy, CURLcode code) {
  transfer* work = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &work);
  entry& done = entries_.at(&work->asked());
  const transfer::verdict verdict = work->conclude(easy, code);
  release(done);
  done.home->has_answered |= work->was_answered();
  if (work->was_throttled()) {
    done.home->limits.note_refusal(work->begin_of_attempt(), clock::now());
  }
  switch (verdict) {
    case transfer::verdict::ended:
      if (work->was_answered()) {
        done.home->limits.note_success();
        retries_.note_success();
      }
      end(work->asked());
      break;
    case transfer::verdict::redirected:
      done.home->ready.push_front(work);
      break;
    case transfer::verdict::again:
      plan_next(done);
      break;
  }
}

/// Puts off the next attempt of a request, or ends it if its time is over.
void client_thread::plan_next(entry& next) {
  transfer& work = *next.work;
  const double random = std::uniform_real_distribution<double>()(random_);
  const auto delay = work.delay(random);
  const bool is_in_vain =
      work.was_unreachable() && !next.home->has_answered && work.num_attempts() >= max_unreachable;
  if (delay && !is_in_vain) {
    const clock::time_point now = clock::now();
    delayed_.emplace(now + std::max(*delay, retries_.take(now)), &work.asked());
    return;
  }
  if (delay) work.fail(store_failure::passing, "the host cannot be reached");
  end(work.asked());
}

/// Takes the handle of an attempt from the multi handle.
void client_thread::release(entry& done) {
  curl_multi_remove_handle(multi_, done.easy);
  if (idle_.size() < max_idle) {
    // Nothing of the last request stays in the handle.
    curl_easy_reset(done.easy);
    idle_.push_back(done.easy);
  } else {
    curl_easy_cleanup(done.easy);
  }
  done.easy = nullptr;
  --done.home->num_active;
  --num_active_;
}

/// Tells the caller that a request has ended.
void client_thread::end(request& asked) {
  const auto position = entries_.find(&asked);
  // Keeps the request while the caller is told.
  const std::unique_ptr<transfer> work = std::move(position->second.work);
  entries_.erase(position);
  asked.has_ended.store(true, std::memory_order_release);
  asked.has_ended.notify_all();
}

/// Ends all attempts.
void client_thread::drop_handles() noexcept {
  for (auto& [name, current] : entries_) {
    if (current.easy == nullptr) continue;
    curl_multi_remove_handle(multi_, current.easy);
    curl_easy_cleanup(std::exchange(current.easy, nullptr));
  }
}

/// Ends all requests with a failure; `reason` is left out if there is no memory for it.
void client_thread::end_all(store_failure kind, const char* reason) noexcept {
  const auto tell = [&](request& asked) {
    asked.result = request_result::failure;
    asked.kind = kind;
    try {
      asked.message = reason;
    } catch (const std::exception&) {
      asked.message.clear();
    }
    asked.has_ended.store(true, std::memory_order_release);
    asked.has_ended.notify_all();
  };
  for (auto& [name, current] : entries_) tell(current.work->asked());
  for (const std::shared_ptr<request>& asked : waiting_) {
    // The last one may have an entry already.
    if (asked != nullptr && !asked->has_ended) tell(*asked);
  }
  waiting_.clear();
  entries_.clear();
  delayed_.clear();
  servers_.clear();
  num_active_ = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting_.swap(begun_);
  }
  for (const std::shared_ptr<request>& asked : waiting_) tell(*asked);
  waiting_.clear();
}

int client_thread::milliseconds_to_next() const {
  constexpr int longest = 1000;
  const bool has_ready = std::ranges::any_of(servers_, [&](const auto& named) {
    const server& home = named.second;
    return !home.ready.empty() && home.num_active < home.limits.window();
  });
  if (has_ready && num_active_ < max_connections) return 0;
  const clock::time_point now = clock::now();
  clock::time_point next = now + std::chrono::milliseconds(longest);
  if (num_active_ > 0) next = std::min(next, next_stall_check_);
  if (!delayed_.empty()) next = std::min(next, delayed_.begin()->first);
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now);
  return static_cast<int>(std::clamp<std::int64_t>(wait.count(), 0, longest));
}

}  // namespace tessera::http
