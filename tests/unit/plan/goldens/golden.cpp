// SPDX-License-Identifier: Apache-2.0
#include "unit/plan/goldens/golden.hpp"

#include <utility>

namespace tessera::test {

golden_arrays golden_arrays::apart(spec limits) const {
  golden_arrays arrays(size_, std::move(limits), store_);
  arrays.are_apart_ = true;
  return arrays;
}

namespace {

std::vector<golden> rows_of_products() {
  return {
      {.name = "nearest_distance",
       .outputs = nearest_distance,
       .scale = 10,
       .full = {64.064, 0, 22, 20.1208},
       .reduced = {6.464, 0, 124, 6.20277},
       .goal = "128 + 0 MB, 21 tasks, 68 MB a task"},
      {.name = "nearest_neighbours",
       .outputs = nearest_neighbours,
       .scale = 10,
       .full = {128.128, 0.08, 107, 13.8618},
       .reduced = {21.824, 0.08, 102, 6.81373},
       .goal = "128 + 0.08 MB, 24 tasks, 72 MB a task"},
      {.name = "bootstrap",
       .outputs = bootstrap,
       .scale = 10,
       .full = {0.4, 0, 101, 12.0165},
       .reduced = {0.04, 0, 101, 1.21646},
       .goal = "4.2 + 0 MB, 102 tasks, 14 MB a task"},
      {.name = "welch",
       .outputs = welch,
       .scale = 4,
       .full = {33.6118, 0.008196, 9, 17.5351},
       .reduced = {8.40294, 0.002052, 9, 4.40743},
       .goal = "37.7 + 0.016 MB, 2 tasks, 47 MB a task"},
  };
}

std::vector<golden> rows_of_transforms() {
  return {
      {.name = "phase_correlation",
       .outputs = phase_correlation,
       .scale = 16,
       .full = {75.4975, 0, 9, 67.7971},
       .reduced = {4.71859, 0, 9, 4.42784},
       .goal = "75.5 + 0 MB, 9 tasks, 75 MB a task"},
      {.name = "sparse_regrid",
       .outputs = sparse_regrid,
       .scale = 16,
       .full = {122.298, 44.1285, 6, 77.1212},
       .reduced = {10.737, 5.5845, 11, 4.89255},
       .goal = "122.2 + 43.8 MB, 5 tasks, 75 MB a task"},
      {.name = "principal_components",
       .outputs = principal_components,
       .scale = 4,
       .full = {307.2, 4.80156, 86, 22.185},
       .reduced = {76.8, 1.20156, 86, 6.82496},
       .goal = "307.2 + 4.8 MB"},
      {.name = "singular_values",
       .outputs = singular_values,
       .allowed = 300,
       .scale = 16,
       .full = {111.099, 0, 4, 129.266},
       .reduced = {6.94032, 0, 4, 9.93392},
       .goal = "in chunks of part of a row: 333 MB read, 300 MB a task"},
  };
}

std::vector<golden> rows_of_scans() {
  return {
      {.name = "running_correlation",
       .outputs = running_correlation,
       .scale = 16,
       .full = {244.404, 122.202, 9, 39.9823},
       .reduced = {15.768, 7.884, 9, 2.70157},
       .goal = "244.4 + 122.2 MB, 9 tasks, 52 MB a task"},
      {.name = "rolling_square",
       .outputs = rolling_square,
       .allowed = 20,
       .scale = 16,
       .full = {1532.17, 1504.1, 164, 18.294},
       .reduced = {95.3208, 93.5712, 164, 1.1847},
       .goal = "1531 + 1502 MB, 20 MB a task"},
      {.name = "heat_step",
       .outputs = heat_step,
       .scale = 16,
       .full = {67.1089, 33.5544, 2, 46.4703},
       .reduced = {4.1943, 2.09715, 2, 3.19193},
       .goal = "67.1 + 33.6 MB, 2 tasks, 50 MB a task"},
      {.name = "two_heat_steps",
       .outputs = two_heat_steps,
       .scale = 16,
       .full = {33.5544, 33.5544, 17, 42.2431},
       .reduced = {2.09715, 2.09715, 17, 2.92153},
       .goal = "67.1 + 33.6 MB, 2 tasks, 50 MB a task"},
      {.name = "ten_heat_steps",
       .outputs = ten_heat_steps,
       .scale = 16,
       .full = {33.5544, 33.5544, 49, 42.2431},
       .reduced = {2.09715, 2.09715, 49, 2.92153},
       .goal = "67.1 + 33.6 MB, 2 tasks, 60 MB a task, planned in 0.1 s"},
  };
}

std::vector<golden> rows_of_folds() {
  return {
      {.name = "deviation_and_series",
       .outputs = deviation_and_series,
       .scale = 16,
       .full = {519.84, 0, 24, 10.4052},
       .reduced = {32.4, 0, 17, 1.99315},
       .goal = "519.8 MB, 24 tasks, 9 MB a task"},
      {.name = "deviation_series_and_mean",
       .outputs = deviation_series_and_mean,
       .scale = 16,
       .full = {519.84, 0, 25, 10.4053},
       .reduced = {32.4, 0, 19, 1.02125},
       .goal = "519.8 MB, 26 tasks, 9 MB a task"},
      {.name = "even_and_odd",
       .outputs = even_and_odd,
       .scale = 16,
       .full = {519.84, 0, 16, 8.33382},
       .reduced = {32.4, 0, 10, 0.551168},
       .goal = "519.8 MB, 127 tasks, 9 MB a task"},
      {.name = "exceedance",
       .outputs = exceedance,
       .scale = 16,
       .full = {1041.12, 525.45, 14, 98.28},
       .reduced = {64.8, 32.6592, 14, 6.1236},
       .goal = "1041 + 525 MB, 14 tasks, 99 MB a task"},
  };
}

std::vector<golden> rows_of_large_folds() {
  return {
      {.name = "image_pyramid",
       .outputs = image_pyramid,
       .scale = 4,
       .full = {67.1089, 89.3911, 64, 5.25517},
       .reduced = {16.7772, 22.3478, 64, 1.32301},
       .goal = "67.1 + 89.4 MB, 176 tasks, 20 MB a task"},
      {.name = "weighted_histogram",
       .outputs = weighted_histogram,
       .scale = 10,
       .full = {240, 0, 4, 60.0655},
       .reduced = {24, 0, 4, 6.05862},
       .goal = "2 tasks or more; 20 on 20 workers",
       .has_few_tasks = true},
      {.name = "quadratic_means",
       .outputs = quadratic_means,
       .allowed = 2000,
       .workers = 1,
       .scale = 10'382.4,
       .full = {1'515'830, 0, 100, 282.442},
       .reduced = {146.029, 0.0288, 37, 0.112224},
       .goal = "31 tasks or more; 142 at 200 MB/s",
       .has_few_tasks = true},
  };
}

}  // namespace

void PrintTo(const golden& row, std::ostream* out) { *out << row.name; }

// Figures are MB read, MB written, tasks and MB a task, for default costs. Bounds of a host, and a
// plan for two workers that is simulated on 10,000, are in `golden_host_test.cpp`.
std::vector<golden> golden_rows() {
  std::vector<golden> rows;
  for (const auto& family : {rows_of_products(), rows_of_transforms(), rows_of_scans(),
                             rows_of_folds(), rows_of_large_folds()}) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  return rows;
}

}  // namespace tessera::test
