// SPDX-License-Identifier: Apache-2.0
//
// Copies and stores arrays for a test that is written in another language:
//
//   array_exchange copy <list>     each line "<array> <copy>": a copy as it is
//   array_exchange arrange <list>  each line "<array> <copy>": a copy in one chunk, in columns
//   array_exchange to_v2 <list>    each line "<array> <copy>": a copy in Zarr v2; to_v3: in Zarr v3
//   array_exchange zeros <list>    each line "<group>": an array "v" of 0, 1, 2, 0, 0, 0 along "x"
//
// Paths are separated by tabs. A line that fails is answered by one line "<array>: <error>".
#include "tessera/array/any_array.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"

#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

void run(const std::string& mode, const std::vector<std::string>& paths) {
  // zarr-python reads zeros if no fill value tells the contents of a missing chunk.
  const ts::open_options filled{.missing = ts::missing_chunks::fill};
  if (mode == "copy" && paths.size() == 2) {
    ts::store(ts::open_any(paths[0], filled), paths[1]);
  } else if (mode == "arrange" && paths.size() == 2) {
    ts::store(ts::open_any(paths[0], filled), paths[1], {.chunks = ts::whole, .order = 'F'});
  } else if ((mode == "to_v2" || mode == "to_v3") && paths.size() == 2) {
    const ts::any_array x = ts::open_any(paths[0], filled);
    ts::store_options options = ts::as_stored(x);
    options.format = mode == "to_v2" ? 2 : 3;
    if (options.format == 2) options.shards = {};
    ts::store(x, paths[1], options);
  } else if (mode == "zeros" && paths.size() == 1) {
    const auto x = ts::ndarray<double, 1>::of({0, 1, 2, 0, 0, 0});
    ts::store(ts::asarray(x, {.chunks = {3}}), std::make_shared<ts::filesystem_store>(paths[0]),
              "v", {.dimension_names = {"x"}});
  } else {
    throw ts::value_error("usage: array_exchange copy|arrange|to_v2|to_v3|zeros <list>");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream list(argv[2]);
  int num_failures = 0;
  for (std::string line; std::getline(list, line);) {
    std::istringstream fields(line);
    std::vector<std::string> paths;
    for (std::string path; std::getline(fields, path, '\t');) paths.push_back(path);
    try {
      run(argv[1], paths);
    } catch (const std::exception& failure) {
      std::cout << paths.front() << ": " << failure.what() << '\n';
      ++num_failures;
    }
  }
  return num_failures == 0 ? 0 : 1;
}
