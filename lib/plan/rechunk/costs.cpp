// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/costs.hpp"

#include "plan/rechunk/axis.hpp"

#include <algorithm>
#include <cmath>

namespace tessera::rechunking {

namespace {

/// Returns the number of chunks that all blocks of `block` read, repetitions counted.
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
      sources_(of.reads),
      array_bytes_(bytes_of(of.shape)),
      target_bytes_(of.end == route_end::chunks ? bytes_of(of.target) : 0) {
  if (sources_.empty()) sources_.push_back({of.source, bytes_of(of.source)});
  for (const array_read& source : sources_) {
    source_bytes_ = std::max(source_bytes_, source.chunk_bytes);
  }
}

double block_costs::bytes_of(const index_vector& block) const {
  auto size = static_cast<double>(of_->itemsize);
  for (const index_t length : block) size *= static_cast<double>(length);
  return size;
}

double block_costs::num_tasks(const index_vector& block) const { return count(of_->shape, block); }

void block_costs::add_reads(const index_vector& block, double& bytes_read,
                            double& num_reads) const {
  for (const array_read& source : sources_) {
    const double count = source.share * reads(of_->shape, block, source.chunks);
    num_reads += count;
    bytes_read += count * source.chunk_bytes;
  }
}

double block_costs::read_source(const index_vector& block) const {
  if (!fits(in_task(block, of_->first_itemsize), source_bytes_)) return infinite;
  double bytes_read = 0;
  double num_reads = 0;
  add_reads(block, bytes_read, num_reads);
  return to_read(bytes_read, num_reads);
}

double block_costs::write_target(const index_vector& block) const {
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    const bool is_whole = block[axis] >= of_->shape[axis];
    if (!is_whole && block[axis] % of_->target[axis] != 0) return infinite;
  }
  if (of_->end == route_end::block && block != of_->target) return infinite;
  if (!fits(in_task(block, of_->last_itemsize), target_bytes_)) return infinite;
  if (of_->end != route_end::chunks) return 0;
  return to_write(array_bytes_, count(of_->shape, of_->target));
}

double block_costs::in_task(const index_vector& block, std::size_t itemsize) const {
  const double size = bytes_of(block);
  if (itemsize == 0) return size;
  return size / static_cast<double>(of_->itemsize) * static_cast<double>(itemsize);
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
  std::vector<copy> copies;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    copies.push_back({blocks[i], i + 1 < blocks.size() ? chunks_between(of_->shape, blocks[i],
                                                                        blocks[i + 1], tolerance)
                                                       : of_->target});
  }
  return copies;
}

route_cost cost_of(const problem& of, const std::vector<copy>& copies) {
  const block_costs costs(of);
  const weights objective{.num_workers = static_cast<double>(of.costs.num_workers())};
  route_cost total;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const copy& step = copies[i];
    double bytes_read = 0;
    double num_reads = 0;
    if (i == 0) {
      costs.add_reads(step.block, bytes_read, num_reads);
    } else {
      num_reads = reads(of.shape, step.block, copies[i - 1].chunks);
      bytes_read = num_reads * costs.bytes_of(copies[i - 1].chunks);
    }
    const bool is_written = i + 1 < copies.size() || of.end == route_end::chunks;
    const double bytes_written = is_written ? costs.array_bytes() : 0;
    const double num_writes = is_written ? count(of.shape, step.chunks) : 0;
    const double num_tasks = costs.num_tasks(step.block);
    const double work =
        costs.to_read(bytes_read, num_reads) + costs.to_write(bytes_written, num_writes);
    total.num_tasks += num_tasks;
    total.bytes_read += bytes_read;
    total.bytes_written += bytes_written;
    total.num_requests += num_reads + num_writes;
    total.work += work;
    total.wall += work * objective.share(num_tasks);
    const double before = i == 0 ? costs.source_bytes() : costs.bytes_of(copies[i - 1].chunks);
    const double after = is_written ? costs.bytes_of(step.chunks) : 0;
    total.memory =
        std::max(total.memory, costs.bytes_of(step.block) +
                                   static_cast<double>(of.chunk_copies) * std::max(before, after));
  }
  return total;
}

}  // namespace tessera::rechunking
