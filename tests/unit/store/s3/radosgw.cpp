// SPDX-License-Identifier: Apache-2.0
#include "unit/store/s3/radosgw.hpp"

#include "store/s3/bucket.hpp"
#include "unit/store/temporary_directory.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::testing {

namespace {

/// Returns a port of loopback that is free now, as is the next one. They are below the ports that
/// the system gives to clients.
int free_port() {
  for (int port = 20'000 + ::getpid() % 6'000 * 2;; port += 2) {
    bool is_free = true;
    for (int i = 0; i < 2; ++i) {
      const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<std::uint16_t>(port + i));
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      is_free &= ::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
      ::close(socket);
    }
    if (is_free) return port;
  }
}

void require_programs() {
  for (const char* program : {"ceph-mon", "ceph-osd", "radosgw", "radosgw-admin"}) {
    const std::string search = std::string("command -v ") + program + " >/dev/null";
    if (std::system(search.c_str()) == 0) continue;
    throw std::runtime_error(std::string("there is no server of S3 to test with: the program ") +
                             program +
                             " is missing; install Debian's packages radosgw, ceph-mon, ceph-osd, "
                             "ceph-common and ceph-base (cmake/install-dependencies.sh tests)");
  }
}

/// The server, until this object goes.
class radosgw {
 public:
  radosgw() : radosgw(free_port()) {
    require_programs();
    start();
    create_bucket();
  }
  radosgw(const radosgw&) = delete;
  radosgw& operator=(const radosgw&) = delete;
  ~radosgw() {
    if (process_ < 0) return;
    ::close(input_);
    ::waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] std::string bucket() const {
    return "s3+http://127.0.0.1:" + std::to_string(port_) + "/tessera";
  }

 private:
  explicit radosgw(int port) : port_(port) {}

  void start() {
    int input[2];
    int output[2];
    if (::pipe(input) != 0 || ::pipe(output) != 0) throw std::runtime_error("there is no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(input[0], 0);
      ::dup2(output[1], 1);
      // No descriptor of the test is inherited.
      ::close_range(3, ~0U, 0);
      const std::string folder = directory_ / "radosgw";
      const std::string port = std::to_string(port_);
      ::execlp("bash", "bash", TESSERA_RADOSGW, folder.c_str(), port.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    input_ = input[1];
    std::array<char, 6> ready{};
    const bool is_ready = ::read(output[0], ready.data(), ready.size()) == 6;
    ::close(output[0]);
    if (!is_ready) throw std::runtime_error("the server of S3 does not start");
  }

  void create_bucket() const {
    ::setenv("AWS_ACCESS_KEY_ID", "AKIDTEST", 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", "SECRETTEST", 1);
    s3::bucket target(
        s3::parse_location("s3+http", "127.0.0.1:" + std::to_string(port_) + "/tessera", {}), {},
        "us-east-1");
    s3::call create(target, {.method = http::request_method::put});
    create.require("create the bucket of the tests");
  }

  temporary_directory directory_;
  int port_;
  int input_ = -1;
  pid_t process_ = -1;
};

}  // namespace

const std::string& radosgw_bucket() {
  static std::unique_ptr<radosgw> server;
  static std::string bucket;
  // A start that has failed is not tried again by each test.
  static const std::string failure = [] {
    try {
      server = std::make_unique<radosgw>();
      bucket = server->bucket();
      return std::string();
    } catch (const std::exception& reason) {
      return std::string(reason.what());
    }
  }();
  if (!failure.empty()) throw std::runtime_error(failure);
  return bucket;
}

std::shared_ptr<key_value_store> new_radosgw_store(const s3_options& options) {
  static std::atomic<int> num_stores = 0;
  return open_s3_store(radosgw_bucket() + "/a folder/" + std::to_string(num_stores++), options);
}

}  // namespace tessera::testing
