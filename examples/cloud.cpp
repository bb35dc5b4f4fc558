// SPDX-License-Identifier: Apache-2.0
/// \file
/// The standard scores of a field over time, from one store to another. On a laptop:
///
///     ./cloud --make field.zarr
///     ./cloud field.zarr scores.zarr
///
/// From a public server to a bucket, by jobs of Slurm. Intermediate arrays are in the bucket as
/// well, so that the same command on any host goes on if this one is killed:
///
///     ./cloud https://data.example.org/field.zarr s3://my-bucket/scores.zarr
///       --tessera-work-dir=s3://my-bucket/tmp --tessera-executor=slurm:workers=100
#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;
using namespace ts::literals;

namespace {

constexpr const char* usage = R"(usage: cloud INPUT OUTPUT | cloud --make OUTPUT

Computes the standard scores of a field over its first axis, from one store to another.

  INPUT   a Zarr array of float32 and rank 3: a path, https://... or s3://bucket/...
  OUTPUT  the array to store: a path or s3://bucket/...
  --make  stores a field of noise

)";

void make_field(const std::string& output) {
  ts::store(ts::random::normal<float>({64, 128, 128}, {.chunks = {16, 64, 64}, .seed = 1}), output,
            {.dimension_names = {"time", "y", "x"}});
}

void standardise(const std::string& input, const std::string& output) {
  const auto field = ts::open<float, 3>(input);
  const auto mean = ts::mean(field, ts::axis<0>, ts::keepdims);
  const auto spread = ts::stddev(field, ts::axis<0>, ts::keepdims);
  const ts::plan plan(ts::stored((field - mean) / spread, output));
  std::cout << plan.explain() << '\n';  // also the bytes and the requests that clouds bill
  plan.execute();
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};  // in a job, the program goes no further than this
  const bool is_help = asks_for_help(argc, argv);
  if (is_help || argc != 3) {
    (is_help ? std::cout : std::cerr) << usage << ts::runtime::help();
    return is_help ? 0 : 2;
  }
  try {
    if (argv[1] == std::string("--make")) {
      make_field(argv[2]);
    } else {
      standardise(argv[1], argv[2]);
    }
  } catch (const ts::error& failure) {
    std::cerr << failure.what() << '\n';  // says also how to continue
    return 1;
  }
}
