// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/zygote_main.hpp"

#include "tessera/executor/memory.hpp"

#include "core/api/resident_library.hpp"
#include "core/api/shared_pages.hpp"
#include "executor/processes/system.hpp"
#include "executor/processes/worker_main.hpp"
#include "executor/processes/zygote.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Serves the process at the other end of a socket.
class zygote_server {
 public:
  explicit zygote_server(int socket) : control_(socket) {}

  [[nodiscard]] bool answer(const zygote_answer& message) const {
    return send_message(control_.get(), std::as_bytes(std::span(&message, 1)));
  }
  void serve();

 private:
  [[nodiscard]] zygote_answer fork_worker(std::vector<descriptor> files);
  [[nodiscard]] zygote_answer wait_for_end(pid_t worker);

  descriptor control_;
  std::set<pid_t> workers_;
};

/// Serves requests until the peer is gone, and then kills all workers.
void zygote_server::serve() {
  for (;;) {
    zygote_request request;
    received_message received =
        receive_message(control_.get(), std::as_writable_bytes(std::span(&request, 1)));
    if (received.size == 0) break;
    const bool is_fork = request.action == zygote_request::kind::fork;
    if (!answer(is_fork ? fork_worker(std::move(received.files)) : wait_for_end(request.worker))) {
      break;
    }
  }
  for (const pid_t worker : workers_) kill(worker, SIGKILL);
  while (!workers_.empty()) (void)wait_for_end(*workers_.begin());
}

/// Returns only in the zygote: the new process runs `worker_main` and exits.
zygote_answer zygote_server::fork_worker(std::vector<descriptor> files) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return {pid, errno, 0};
  if (pid > 0) {
    workers_.insert(pid);
    return {pid, 0, 0};
  }
  control_.reset();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The zygote may have ended before the call of prctl.
  if (getppid() != parent) std::_Exit(EXIT_FAILURE);
  std::_Exit(worker_main(std::move(files[0]), std::move(files[1])));
}

zygote_answer zygote_server::wait_for_end(pid_t worker) {
  zygote_answer ended{worker, 0, 0};
  while (waitpid(worker, &ended.status, 0) < 0 && errno == EINTR) {
  }
  workers_.erase(worker);
  return ended;
}

}  // namespace

int zygote_main(const std::string& argument) {
  zygote_server server(std::stoi(argument));
  // Ctrl-C goes to all processes of a terminal. Only the scheduling process handles it.
  std::signal(SIGINT, SIG_IGN);
  const std::size_t colon = argument.find(':');
  if (colon != std::string::npos) {
    prepare_resident_libraries(std::string_view(argument).substr(colon + 1));
  }
  const bool maps_memory = reaches_pages_of(getppid());
  if (!server.answer({getpid(), 0, memory_with_code().count(), maps_memory})) return EXIT_FAILURE;
  server.serve();
  return EXIT_SUCCESS;
}

}  // namespace tessera
