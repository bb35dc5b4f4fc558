// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program that ends while it reads from a server.
///
/// usage: http_exit_program <url> <milliseconds until the end> [<file of certificates>]

#include "tessera/core/error.hpp"
#include "tessera/store/http.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto store = tessera::open_http_store(argv[1], {.ca_file = argc > 3 ? argv[3] : ""});
  for (int i = 0; i < 4; ++i) {
    std::thread([store] {
      std::vector<std::byte> buffer(1'000'000);
      try {
        while (true) (void)store->read("k", buffer);
      } catch (const tessera::store_error&) {
        // The program ends.
      }
    }).detach();
  }
  const auto queue = store->reads();
  std::vector<std::vector<std::byte>> buffers(16, std::vector<std::byte>(1'000'000));
  for (auto& buffer : buffers) (void)queue->submit({"k", {}, buffer});
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(argv[2])));
  std::exit(0);
}
