// SPDX-License-Identifier: Apache-2.0
#include "tessera/benchmark/scaling_study.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "benchmark/study_runner.hpp"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <system_error>
#include <utility>

namespace tessera {

index_t study_point::scale() const { return scaled(1); }

index_t study_point::scaled(double extent) const {
  return static_cast<index_t>(std::llround(extent * scale_));
}

std::string study_point::output(const std::string& name) const {
  return fmt::format("{}/outputs/{}", folder_, name);
}

run_with study_point::settings() const {
  run_with settings;
  settings.executor = engine_;
  settings.resume = resume_mode::never;
  return settings;
}

run_with study_point::settings_of_inputs() const {
  return engine_ != nullptr && engine_->group() != nullptr ? settings() : run_with{};
}

spec study_point::limits() const {
  spec limits = default_spec();
  if (figures_) limits.costs = *figures_;
  limits.costs.workers = workers_;
  return limits;
}

std::string study_point::path_of(const std::string& name, dtype type,
                                 const std::vector<index_t>& shape,
                                 const study_input& options) const {
  return fmt::format("{}/{}/{}-{}-{}-{}", folder_, is_simulated_ ? "metadata" : "inputs", name,
                     tessera::name_of(type), fmt::join(shape, "x"), fmt::join(options.chunks, "x"));
}

bool study_point::is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path + ".complete", ignored);
}

void study_point::create(const std::string& path, dtype type, const std::vector<index_t>& shape,
                         const study_input& options) {
  zarr_metadata metadata;
  metadata.shape = index_vector(shape);
  metadata.chunks = options.chunks.empty() ? metadata.shape : index_vector(options.chunks);
  metadata.dtype = type;
  (void)zarr_array::create(path, metadata, {}, existing::replace);
}

void study_point::mark(const std::string& path) { std::ofstream(path + ".complete") << '\n'; }

scaling_study::scaling_study(std::string name, study_program program)
    : name_(std::move(name)), program_(std::move(program)) {
  study_runner::instance().add(*this);
}

scaling_study::~scaling_study() { study_runner::instance().remove(*this); }

scaling_study& scaling_study::on(std::string engine) {
  engine_ = std::move(engine);
  return *this;
}

scaling_study& scaling_study::strong(std::vector<std::size_t> workers, strong_options options) {
  series_.push_back({.is_weak = false,
                     .is_simulated = false,
                     .engine = engine_,
                     .workers = std::move(workers),
                     .scale_of = [scale = options.scale](double) { return scale; },
                     .figures = std::nullopt});
  return *this;
}

scaling_study& scaling_study::weak(std::vector<std::size_t> workers,
                                   std::function<double(double)> scale) {
  if (!scale) scale = [](double count) { return count; };
  series_.push_back({.is_weak = true,
                     .is_simulated = false,
                     .engine = engine_,
                     .workers = std::move(workers),
                     .scale_of = std::move(scale),
                     .figures = std::nullopt});
  return *this;
}

scaling_study& scaling_study::simulated(std::vector<std::size_t> workers, const costs& figures) {
  if (series_.empty()) {
    throw value_error(
        fmt::format("study \"{}\": simulated() says on how many workers, and comes "
                    "after strong() or weak(), which say of what size",
                    name_));
  }
  series added = series_.back();
  added.is_simulated = true;
  added.workers = std::move(workers);
  added.figures = figures;
  series_.push_back(std::move(added));
  return *this;
}

}  // namespace tessera
