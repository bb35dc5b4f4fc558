// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/communicator.hpp"

#include "tessera/core/error.hpp"

#include "core/api/shared_pages.hpp"
#include "executor/build_id.hpp"
#include "executor/unfit_worker.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::mpi {

namespace {

using namespace std::chrono_literals;

/// Short waits spin, because the system may delay the end of a sleep.
constexpr auto spin_time = 100us;
constexpr auto first_pause = 20us;

constexpr std::size_t numbers_size = sizeof(message::numbers);

std::vector<std::byte> pack(const message& content) {
  std::vector<std::byte> bytes(numbers_size + content.text.size());
  std::memcpy(bytes.data(), content.numbers.data(), numbers_size);
  std::memcpy(bytes.data() + numbers_size, content.text.data(), content.text.size());
  return bytes;
}

message unpack(const std::vector<std::byte>& bytes, const MPI_Status& status) {
  if (bytes.size() < numbers_size) throw error("mpi: a message is too short to be Tessera's");
  message content{static_cast<subject>(status.MPI_TAG), status.MPI_SOURCE, {}, {}};
  std::memcpy(content.numbers.data(), bytes.data(), numbers_size);
  content.text.assign(reinterpret_cast<const char*>(bytes.data()) + numbers_size,
                      bytes.size() - numbers_size);
  return content;
}

void wait_for_end(MPI_Request request) {
  patience waiting;
  int has_ended = 0;
  check(MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE), "MPI_Test");
  while (has_ended == 0) {
    waiting.pause();
    check(MPI_Test(&request, &has_ended, MPI_STATUS_IGNORE), "MPI_Test");
  }
}

bool have_one_host(MPI_Comm comm, int rank, int size) {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host),
        "MPI_Comm_split_type");
  int size_of_host = 0;
  check(MPI_Comm_size(host, &size_of_host), "MPI_Comm_size");
  check(MPI_Comm_free(&host), "MPI_Comm_free");
  return size_of_host == size;
}

/// Returns the inode of this process's PID namespace, or 0 if it is not known.
std::int64_t pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::int64_t>(status.st_ino) : 0;
}

/// Tells whether all ranks can map the shared memory of the first rank. Requires: a single host.
///
/// A rank in a separate container knows the first rank by a different process number, or not.
bool reach_first(MPI_Comm comm) {
  std::array<std::int64_t, 2> first{getpid(), pid_namespace()};
  check(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
  const bool is_reached =
      first[1] == pid_namespace() && reaches_pages_of(static_cast<int>(first[0]));
  int here = is_reached ? 1 : 0;
  int minimum = 0;
  check(MPI_Allreduce(&here, &minimum, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return minimum == 1;
}

/// Throws on all ranks: unfit_worker <- a rank runs another build than the first rank.
void require_one_build(MPI_Comm comm, int rank, int size) {
  const std::string present = build_id();
  std::array<char, 128> first{};
  present.copy(first.data(), first.size());
  const std::array<char, 128> here = first;
  check(MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, comm), "MPI_Bcast");
  const int differing = here == first ? size : rank;
  int least = size;
  check(MPI_Allreduce(&differing, &least, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (least == size) return;
  throw unfit_worker(fmt::format(
      "mpi: rank {} is another build of this program than rank 0; start one program", least));
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  text.resize(static_cast<std::size_t>(length));
  throw error(std::string("mpi: ") + call + " failed: " + text);
}

std::chrono::microseconds patience::next_pause() {
  if (clock::now() - start_ < spin_time) return 0us;
  last_ = std::clamp<std::chrono::microseconds>(2 * last_, first_pause, longest_);
  return last_;
}

void patience::pause() {
  const auto length = next_pause();
  if (length == 0us) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(length);
  }
}

communicator::communicator(MPI_Comm from) {
  check(MPI_Comm_dup(from, &comm_), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  try {
    require_one_build(comm_, rank_, size_);
  } catch (const unfit_worker&) {
    MPI_Comm_free(&comm_);
    throw;
  }
  is_on_one_host_ = have_one_host(comm_, rank_, size_);
  maps_memory_ = is_on_one_host_ && reach_first(comm_);
}

communicator::~communicator() {
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized == 0) MPI_Comm_free(&comm_);
}

void communicator::send(int to, const message& content) const {
  const std::vector<std::byte> bytes = pack(content);
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw value_error("mpi: a message of " + std::to_string(bytes.size()) +
                      " bytes is longer than MPI can send");
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to,
                  static_cast<int>(content.about), comm_, &request),
        "MPI_Isend");
  wait_for_end(request);
}

std::optional<message> communicator::receive(int from, int tag) const {
  int is_there = 0;
  MPI_Status status;
  // The first probe may only progress the arrival of a message that the second probe then reports.
  for (int probes = 0; probes < 2 && is_there == 0; ++probes) {
    check(MPI_Iprobe(from, tag, comm_, &is_there, &status), "MPI_Iprobe");
  }
  if (is_there == 0) return std::nullopt;
  int size = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  check(MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_, &status),
        "MPI_Recv");
  return unpack(bytes, status);
}

message communicator::wait_for(int from, int tag) const {
  patience waiting;
  while (true) {
    if (auto arrived = receive(from, tag)) return std::move(*arrived);
    waiting.pause();
  }
}

}  // namespace tessera::mpi
