// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/costs.hpp"

#include "plan/rechunk/axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::rechunking {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Returns the chunks that all blocks of `block` touch.
double reads(const index_vector& shape, const index_vector& block, const index_vector& chunk) {
  double count = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    count *= static_cast<double>(touched(shape[axis], block[axis], chunk[axis]));
  }
  return count;
}

double count(const index_vector& shape, const index_vector& chunk) {
  double product = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    product *= static_cast<double>(ceil_divide(shape[axis], chunk[axis]));
  }
  return product;
}

index_vector chunks_between(const index_vector& shape, const index_vector& written,
                            const index_vector& read, double tolerance) {
  index_vector chunk(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    chunk[axis] = meet(shape[axis], written[axis], read[axis], tolerance);
  }
  return chunk;
}

}  // namespace

double weights::share(double num_tasks) const {
  return std::ceil(num_tasks / num_workers) / num_tasks + theta / num_workers;
}

double route_cost::merit() const { return wall * std::sqrt(work); }

block_costs::block_costs(const problem& of)
    : of_(&of),
      array_bytes_(bytes_of(of.shape)),
      source_bytes_(bytes_of(of.source)),
      target_bytes_(bytes_of(of.target)) {}

double block_costs::bytes_of(const index_vector& block) const {
  auto size = static_cast<double>(of_->itemsize);
  for (const index_t length : block) size *= static_cast<double>(length);
  return size;
}

double block_costs::num_tasks(const index_vector& block) const { return count(of_->shape, block); }

double block_costs::read_source(const index_vector& block) const {
  if (!fits(bytes_of(block), source_bytes_)) return infinite;
  const double num_reads = reads(of_->shape, block, of_->source);
  return to_read(num_reads * source_bytes_, num_reads);
}

double block_costs::write_target(const index_vector& block) const {
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    const bool is_whole = block[axis] >= of_->shape[axis];
    if (!is_whole && block[axis] % of_->target[axis] != 0) return infinite;
  }
  if (!fits(bytes_of(block), target_bytes_)) return infinite;
  return to_write(array_bytes_, count(of_->shape, of_->target));
}

double block_costs::route(const std::vector<index_vector>& blocks, const weights& by,
                          double tolerance) const {
  double total = by.share(num_tasks(blocks.front())) * read_source(blocks.front()) +
                 by.share(num_tasks(blocks.back())) * write_target(blocks.back());
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    const index_vector chunk = chunks_between(of_->shape, blocks[i], blocks[i + 1], tolerance);
    const double size = bytes_of(chunk);
    if (!fits(std::max(bytes_of(blocks[i]), bytes_of(blocks[i + 1])), size)) return infinite;
    const double num_reads = reads(of_->shape, blocks[i + 1], chunk);
    total += by.share(num_tasks(blocks[i])) * to_write(array_bytes_, count(of_->shape, chunk)) +
             by.share(num_tasks(blocks[i + 1])) * to_read(num_reads * size, num_reads);
  }
  return total;
}

std::vector<copy> block_costs::copies(const std::vector<index_vector>& blocks,
                                      double tolerance) const {
  std::vector<copy> made;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    made.push_back({blocks[i], i + 1 < blocks.size()
                                   ? chunks_between(of_->shape, blocks[i], blocks[i + 1], tolerance)
                                   : of_->target});
  }
  return made;
}

route_cost cost_of(const problem& of, const std::vector<copy>& copies) {
  const block_costs costs(of);
  const weights all{.num_workers = static_cast<double>(of.costs.workers)};
  route_cost total;
  index_vector before = of.source;
  for (const copy& one : copies) {
    const double num_reads = reads(of.shape, one.block, before);
    const double num_writes = count(of.shape, one.chunks);
    const double bytes_read = num_reads * costs.bytes_of(before);
    const double num_tasks = costs.num_tasks(one.block);
    const double work =
        costs.to_read(bytes_read, num_reads) + costs.to_write(costs.array_bytes(), num_writes);
    total.num_tasks += num_tasks;
    total.bytes_read += bytes_read;
    total.bytes_written += costs.array_bytes();
    total.num_requests += num_reads + num_writes;
    total.work += work;
    total.wall += work * all.share(num_tasks);
    const double chunk = std::max(costs.bytes_of(before), costs.bytes_of(one.chunks));
    total.memory = std::max(
        total.memory, costs.bytes_of(one.block) + static_cast<double>(of.chunk_copies) * chunk);
    before = one.chunks;
  }
  return total;
}

}  // namespace tessera::rechunking
