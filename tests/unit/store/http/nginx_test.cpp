// SPDX-License-Identifier: Apache-2.0
/// \file
/// Files behind nginx, with TLS and without.

#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/temporary_directory.hpp"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Returns a port of loopback that is free now.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket, general, size), 0);
  EXPECT_EQ(::getsockname(socket, general, &size), 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// nginx, which gives the files in a folder of its own until this object goes.
class nginx {
 public:
  nginx() : port_(free_port()), tls_port_(free_port()) {
    std::filesystem::create_directories(directory_ / "files");
    const std::string certificate = std::string(TESSERA_OPENSSL) +
                                    " req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
                                    " -addext subjectAltName=DNS:localhost -keyout " +
                                    (directory_ / "key.pem") + " -out " + ca_file() +
                                    " >/dev/null 2>&1";
    EXPECT_EQ(std::system(certificate.c_str()), 0);
    std::ofstream(directory_ / "nginx.conf") << configuration();
    process_ = ::fork();
    if (process_ == 0) {
      const std::string file = directory_ / "nginx.conf";
      const std::string prefix = directory_ / "";
      ::execl(TESSERA_NGINX, "nginx", "-c", file.c_str(), "-p", prefix.c_str(), "-e", "error.log",
              nullptr);
      ::_exit(127);
    }
    wait_until_it_answers();
  }
  nginx(const nginx&) = delete;
  nginx& operator=(const nginx&) = delete;
  ~nginx() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / ("files/" + name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string url() const { return "http://localhost:" + std::to_string(port_); }
  [[nodiscard]] std::string safe_url() const {
    return "https://localhost:" + std::to_string(tls_port_);
  }
  [[nodiscard]] std::string ca_file() const { return directory_ / "ca.pem"; }

 private:
  [[nodiscard]] std::string configuration() const {
    const std::string user = ::getuid() == 0 ? "user root;\n" : "";
    const std::string listen = "listen 127.0.0.1:";
    const auto path = [&](const std::string& name) {
      return name + "_temp_path " + (directory_ / name) + ";\n";
    };
    return user + "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\n" +
           path("client_body") + path("proxy") + path("fastcgi") + path("uwsgi") + path("scgi") +
           "access_log off;\nserver {\n" + listen + std::to_string(port_) + ";\n" + listen +
           std::to_string(tls_port_) + " ssl;\nssl_certificate ca.pem;\n" +
           "ssl_certificate_key key.pem;\nroot files;\n" +
           "location /moved/ { rewrite ^/moved/(.*)$ /$1 permanent; }\n" +
           "location /unsafe/ { return 302 " + url() + "/x; }\n" +
           "location /cut/ { return 444; }\n}\n}\n";
  }
  void wait_until_it_answers() const {
    write("ready", "yes");
    const auto store = open_http_store(url(), impatient(10s));
    for (int i = 0; i < 100; ++i) {
      try {
        if (read_value(*store, "ready") == "yes") return;
      } catch (const store_error&) {
        std::this_thread::sleep_for(100ms);
      }
    }
    ADD_FAILURE() << "nginx does not answer";
  }

  temporary_directory directory_;
  int port_;
  int tls_port_;
  pid_t process_ = -1;
};

TEST(Nginx, GivesValuesAndParts) {
  const nginx server;
  const std::string value = letters(1'000'000);
  server.write("x", value);
  server.write("empty", "");
  server.write("a b+%", "named");
  for (const bool is_safe : {false, true}) {
    const auto store =
        open_http_store(is_safe ? server.safe_url() : server.url(), {.ca_file = server.ca_file()});
    EXPECT_EQ(read_value(*store, "x"), value);
    EXPECT_EQ(read_value(*store, "a b+%"), "named");
    EXPECT_EQ(read_value(*store, "y"), "(missing)");
    EXPECT_EQ(read_value(*store, "empty"), "");
    EXPECT_EQ(store->size("empty"), 0U);
    EXPECT_EQ(store->size("x"), 1'000'000U);
    std::vector<std::byte> buffer(100);
    for (const byte_range& range :
         {byte_range{0, 100}, byte_range{999'950, 100}, byte_range{1'000'000, 5},
          byte_range{2'000'000, 5}, byte_range{.count = 100, .from_end = true}, byte_range{}}) {
      const auto part = store->read_part("x", range, buffer);
      ASSERT_TRUE(part);
      const byte_range clipped = clip_range(range, value.size());
      EXPECT_EQ(part->first, clipped.first);
      EXPECT_EQ(part->value_size, 1'000'000U);
      // The answer to a range behind the end has no ETag.
      EXPECT_EQ(part->version.is_known(), part->size > 0);
      EXPECT_EQ(text_of(buffer).substr(0, part->size),
                value.substr(clipped.first, std::min<std::uint64_t>(clipped.count, 100)));
    }
    const auto empty = store->read_part("empty", {0, 5}, buffer);
    ASSERT_TRUE(empty);
    EXPECT_EQ(empty->size, 0U);
  }
}

TEST(Nginx, IsTrustedByItsCertificateAlone) {
  const nginx server;
  server.write("x", "value");
  const store_error failure = failure_of([&] { return open_store(server.safe_url())->size("x"); });
  EXPECT_EQ(failure.kind(), store_failure::permanent);
  EXPECT_THAT(failure.what(), HasSubstr("certificate"));
  ASSERT_EQ(setenv("AWS_CA_BUNDLE", server.ca_file().c_str(), 1), 0);
  EXPECT_EQ(read_value(*open_store(server.safe_url()), "x"), "value");
  ASSERT_EQ(unsetenv("AWS_CA_BUNDLE"), 0);
}

TEST(Nginx, LeadsElsewhere) {
  const nginx server;
  server.write("x", "value");
  const auto store = open_http_store(server.safe_url(), {.ca_file = server.ca_file()});
  EXPECT_EQ(read_value(*store, "moved/x"), "value");
  EXPECT_THAT(failure_of([&] { return store->size("unsafe/x"); }).what(),
              HasSubstr("leads from https to http"));
}

TEST(Nginx, IsAskedAgainIfItClosesConnections) {
  const nginx server;
  const auto store = open_http_store(server.url(), impatient());
  const store_error failure = failure_of([&] { return store->size("cut/x"); });
  EXPECT_EQ(failure.kind(), store_failure::passing);
}

// OpenSSL frees its tables at the end of a program.
TEST(Nginx, IsReadByProgramsThatEndAmidReads) {
  const nginx server;
  server.write("k", letters(1'000'000));
  for (int i = 0; i < 200; ++i) {
    const std::string command = std::string(TESSERA_HTTP_EXIT_PROGRAM) + " " + server.safe_url() +
                                " " + std::to_string(i % 50) + " " + server.ca_file();
    ASSERT_EQ(std::system(command.c_str()), 0) << i;
  }
}

TEST(Nginx, ReadsBySeveralConnectionsWithTls) {
  const nginx server;
  const std::string value = letters(1'000'000);
  server.write("x", value);
  const auto store = open_http_store(server.safe_url(), {.ca_file = server.ca_file()});
  const auto queue = store->reads();
  std::vector<std::vector<std::byte>> buffers(40, std::vector<std::byte>(1'000'000));
  std::vector<std::size_t> tickets;
  for (auto& buffer : buffers) tickets.push_back(queue->submit({"x", {}, buffer}));
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    const auto part = queue->wait(tickets[i]);
    ASSERT_TRUE(part);
    EXPECT_EQ(text_of(buffers[i]), value);
  }
}

}  // namespace
}  // namespace tessera::testing
