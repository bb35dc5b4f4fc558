// SPDX-License-Identifier: Apache-2.0
//
// One write to an array that other programs write at the same time.
//
// usage: writers_program DIRECTORY store VALUE ROWS CHUNK_ROWS CHUNK_COLUMNS
//        writers_program DIRECTORY region VALUE FIRST_ROW LAST_ROW FIRST_COLUMN LAST_COLUMN
//        writers_program DIRECTORY append VALUE ROWS
//        writers_program DIRECTORY resize VALUE ROWS
//        writers_program DIRECTORY attributes VALUE
//        writers_program DIRECTORY turn VALUE       the array becomes itself, the last row first
//        writers_program DIRECTORY move VALUE       its rows from the fifth on go up by two
//        writers_program DIRECTORY extend VALUE     its rows are appended to it, the last one first
//        writers_program DIRECTORY exchange VALUE   it becomes the array b, and b becomes it
//        writers_program DIRECTORY sum VALUE        prints the sum of the elements
//
// The array is DIRECTORY/g.zarr/a, of four columns; all its elements that are written become VALUE.
// Begins when it can read a byte. Ends with 0 if it has written, and 1 if it was refused.
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <tessera/array/append.hpp>
#include <tessera/array/compute.hpp>
#include <tessera/array/creation.hpp>
#include <tessera/array/in_out.hpp>
#include <tessera/array/indexing.hpp>
#include <tessera/array/manipulation.hpp>
#include <tessera/array/store_target.hpp>
#include <tessera/core/error.hpp>
#include <tessera/function/statistical.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/zarr/zarr_group.hpp>
#include <vector>

namespace ts = tessera;

namespace {

constexpr ts::index_t num_columns = 4;

void write(const std::string& directory, const std::string& action,
           const std::vector<ts::index_t>& numbers) {
  const std::string group = directory + "/g.zarr";
  const std::string path = group + "/a";
  const auto value = static_cast<int>(numbers.at(0));
  const auto filled = [&](ts::index_t rows, ts::index_t columns, ts::chunk_lengths chunks) {
    return ts::full<int>({rows, columns}, value,
                         {.chunks = chunks, .spec = ts::spec{.work_dir = directory + "/work"}});
  };
  if (action == "store") {
    ts::store(filled(numbers.at(1), num_columns, {numbers.at(2), numbers.at(3)}), path,
              {.compressor = ts::codec::none{}, .fill_value = -1});
  } else if (action == "region") {
    const ts::index_t rows = numbers.at(2) - numbers.at(1);
    const ts::index_t columns = numbers.at(4) - numbers.at(3);
    ts::store(filled(rows, columns, {3, 2}), path,
              {.region = {ts::slice(numbers.at(1), numbers.at(2)),
                          ts::slice(numbers.at(3), numbers.at(4))}});
  } else if (action == "append") {
    ts::append(filled(numbers.at(1), num_columns, {3, 2}), path, ts::axis<0>);
  } else if (action == "resize") {
    (void)ts::zarr_array::open(path).resize(ts::index_vector{numbers.at(1), num_columns});
  } else if (action == "exchange") {
    const auto opened = [&](const char* name) {
      return ts::open<int, 2>(group + name, ts::spec{.work_dir = directory + "/work"});
    };
    const ts::store_options raw{.compressor = ts::codec::none{}, .fill_value = -1};
    ts::store(ts::stored(opened("/b"), path, raw), ts::stored(opened("/a"), group + "/b", raw));
  } else if (action == "turn" || action == "move" || action == "extend" || action == "sum") {
    const auto x = ts::open<int, 2>(path, ts::spec{.work_dir = directory + "/work"});
    const ts::index_t rows = x.shape()[0];
    if (action == "extend") ts::append(ts::flip(x, ts::axis<0>), path, ts::axis<0>);
    if (action == "turn") {
      ts::store(ts::flip(x, ts::axis<0>), path,
                {.chunks = {2, 4}, .compressor = ts::codec::none{}, .fill_value = -1});
    }
    if (action == "move") {
      ts::store(x(ts::slice(5, rows), ts::whole), path,
                {.region = {ts::slice(3, rows - 2), ts::whole}});
    }
    if (action == "sum") std::cout << ts::sum(ts::astype<double>(x)).compute()() << std::endl;
  } else {
    (void)ts::zarr_group::create(group, {{"value", value}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime(argc, argv);
  std::vector<ts::index_t> numbers;
  for (int i = 3; i < argc; ++i) numbers.push_back(std::stoll(argv[i]));
  std::cout << "ready" << std::endl;
  if (std::getchar() == EOF) return 2;
  try {
    write(argv[1], argv[2], numbers);
  } catch (const ts::error& refusal) {
    std::cerr << refusal.what() << '\n';
    return 1;
  }
  return 0;
}
