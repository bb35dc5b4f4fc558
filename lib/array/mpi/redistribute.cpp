// SPDX-License-Identifier: Apache-2.0
#include "array/mpi/redistribute.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/communicator.hpp"

#include <limits>
#include <string>
#include <utility>

namespace tessera::mpi {

namespace {

/// An MPI data type, freed by its destructor.
class box_type {
 public:
  explicit box_type(MPI_Datatype type) : type_(type) {}
  box_type(box_type&& source) noexcept : type_(std::exchange(source.type_, MPI_DATATYPE_NULL)) {}
  box_type& operator=(box_type&& source) noexcept {
    std::swap(type_, source.type_);
    return *this;
  }
  ~box_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

int to_count(index_t extent) {
  if (extent > std::numeric_limits<int>::max()) {
    throw value_error("from_local: an extent of " + std::to_string(extent) +
                      " is more than MPI can count");
  }
  return static_cast<int>(extent);
}

/// Returns the type of `box`, a part of `whole` with `strides`, relative to the first element of
/// `whole`. The type includes the displacement, which may be above 2^31.
box_type type_of(const region& box, const region& whole, const index_vector& strides,
                 std::size_t itemsize) {
  const auto size = static_cast<index_t>(itemsize);
  index_t first = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(static_cast<int>(itemsize), MPI_BYTE, &type), "MPI_Type_contiguous");
  box_type inner(type);
  for (std::size_t axis = box.rank(); axis-- > 0;) {
    first += (box.start[axis] - whole.start[axis]) * strides[axis] * size;
    check(MPI_Type_create_hvector(to_count(box.stop[axis] - box.start[axis]), 1,
                                  strides[axis] * size, inner.get(), &type),
          "MPI_Type_create_hvector");
    inner = box_type(type);
  }
  const MPI_Aint displacement = first;
  check(MPI_Type_create_hindexed_block(1, 1, &displacement, inner.get(), &type),
        "MPI_Type_create_hindexed_block");
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  return box_type(type);
}

/// The messages of a rank to, or from, each rank.
struct exchange_list {
  std::vector<int> counts;
  std::vector<box_type> owned;
  std::vector<MPI_Datatype> types;
};

exchange_list common_boxes(const region& mine, const std::vector<region>& theirs,
                           const index_vector& strides, std::size_t itemsize) {
  exchange_list list;
  for (const region& their_box : theirs) {
    const region common = intersect(mine, their_box);
    list.counts.push_back(common.empty() ? 0 : 1);
    list.types.push_back(MPI_BYTE);
    if (common.empty()) continue;
    list.owned.push_back(type_of(common, mine, strides, itemsize));
    list.types.back() = list.owned.back().get();
  }
  return list;
}

}  // namespace

std::shared_ptr<std::byte[]> redistribute(MPI_Comm comm, std::size_t itemsize,
                                          const part_in_memory& part,
                                          const std::vector<region>& before,
                                          const std::vector<region>& after) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  const region& from = before[static_cast<std::size_t>(rank)];
  const region& to = after[static_cast<std::size_t>(rank)];
  const exchange_list sent = common_boxes(from, after, part.strides, itemsize);
  const exchange_list received = common_boxes(to, before, row_major_strides(to.shape()), itemsize);
  const auto size = to.empty() ? 0 : static_cast<std::size_t>(to.num_elements()) * itemsize;
  std::shared_ptr<std::byte[]> elements(new std::byte[size]);
  const std::vector<int> nowhere(before.size(), 0);
  check(MPI_Alltoallw(part.data, sent.counts.data(), nowhere.data(), sent.types.data(),
                      elements.get(), received.counts.data(), nowhere.data(), received.types.data(),
                      comm),
        "MPI_Alltoallw");
  return elements;
}

}  // namespace tessera::mpi
