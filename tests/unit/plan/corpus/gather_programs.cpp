// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gathers by lists and by lazy indices, groups and histograms.

#include "unit/plan/corpus/corpus.hpp"

#include <cstdint>
#include <numeric>

namespace tessera::test {

namespace {

/// Returns `count` numbers below `end` in a fixed disorder.
std::vector<index_t> scattered(index_t count, index_t end) {
  std::vector<index_t> numbers;
  for (index_t i = 0; i < count; ++i) numbers.push_back(i * 7919 % end);
  return numbers;
}

array<std::int64_t, 1> months(const corpus_arrays& in, index_t count) {
  std::vector<std::int64_t> labels;
  for (index_t i = 0; i < count; ++i) labels.push_back(i / 30 % 12);
  return asarray(labels, {.spec = in.limits()});
}

/// Returns the groups of `count` days by their positions in years of 365 days.
grouping groups_of_days(index_t count) {
  grouping groups{.labels = ndarray<std::int64_t, 1>({count}),
                  .keys = std::vector<std::int64_t>(365)};
  for (index_t i = 0; i < count; ++i) groups.labels(i) = i % 365;
  std::iota(groups.keys.begin(), groups.keys.end(), 1);
  return groups;
}

}  // namespace

std::vector<corpus_program> gather_programs() {
  using arrays = corpus_arrays;
  return {
      {"maps by a list",
       [](const arrays& in) {
         return outputs_of(in.to_store(take(in.u(), scattered(100, 500), axis<0>), "r"));
       }},
      {"columns by a list",
       [](const arrays& in) {
         return outputs_of(in.to_store(take(in.a(), scattered(2000, 8192), axis<1>), "r"));
       }},
      {"bootstrap",
       [](const arrays& in) {
         const auto draws = random::integers<std::int64_t>(
             0, 1'048'576, {100, 1'048'576},
             {.chunks = {1, 1'048'576}, .spec = in.limits(), .seed = 1});
         return outputs_of(mean(take(in.s()(slice(0, 1'048'576)), draws), axis<1>));
       }},
      {"means of months",
       [](const arrays& in) {
         return outputs_of(groupby_reduce(in.u(), months(in, 500), op::mean{}, 12, axis<0>));
       }},
      {"anomaly from months",
       [](const arrays& in) {
         const auto labels = months(in, 500);
         const auto means = groupby_reduce(in.u(), labels, op::mean{}, 12, axis<0>);
         return outputs_of(in.to_store(in.u() - take(means, labels, axis<0>), "r"));
       }},
      {"days without the means of their days",
       [](const arrays& in) {
         const grouping days = groups_of_days(100'000);
         const auto means = groupby_reduce(in.large(), days, op::mean{}, axis<0>);
         return outputs_of(in.to_store(in.large() - expand_groups(means, days, axis<0>), "r"));
       }},
      {"histogram",
       [](const arrays& in) {
         return outputs_of(histogram(in.u(), bins{100, -5, 5}));
       }},
      {"joint histogram",
       [](const arrays& in) {
         return outputs_of(histogram2d(in.u(), in.v(), bins{50, -5, 5}, bins{50, -5, 5}));
       }},
      {"repeated maps",
       [](const arrays& in) { return outputs_of(in.to_store(repeat(in.t(), 2, axis<0>), "r")); }},
  };
}

}  // namespace tessera::test
