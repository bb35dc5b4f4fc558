// SPDX-License-Identifier: Apache-2.0
#include "lower/out_of_core_transform.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/line_kernel.hpp"
#include "tessera/lower/nodes.hpp"

#include "core/api/gather.hpp"
#include "kernel/api/hermitian_half.hpp"
#include "lower/operands.hpp"
#include "lower/transform_blocks.hpp"
#include "primitive/api/block_function.hpp"
#include "primitive/api/build.hpp"
#include "primitive/api/strips.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// The most bytes that tasks read, in units of the array: above, the operand is rechunked first.
constexpr double most_bytes_read = 3;

/// Tells whether `kernel` makes real elements of half of the coefficients: `irfft`.
bool is_real_inverse(const block_kernel& kernel) {
  return &kernel == &line::irfft(kernel.inputs.front());
}

/// The four operations of a transform along one axis of an array: split, columns, rows, join.
class out_of_core_fft {
 public:
  explicit out_of_core_fft(const out_of_core_lines& lines)
      : lines_(lines),
        parameters_(*static_cast<const line::fourier_spec*>(lines.parameters.get())),
        is_real_inverse_(is_real_inverse(lines.kernel)),
        complex_((is_real_inverse_ ? lines.kernel.inputs : lines.kernel.outputs).front()) {
    while (!lines.line_axes[axis_]) ++axis_;
    for (std::size_t axis = 0; axis < layout().shape.size(); ++axis) {
      block_.push_back(axis == axis_ ? 1 : std::min(layout().chunks[axis], layout().shape[axis]));
    }
  }

  [[nodiscard]] index_t points() const { return parameters_.points; }

  /// Chooses the blocks of all steps. Returns false if no blocks fit a task.
  bool choose_blocks(const index_vector& chunks) {
    std::optional<transform_blocks> largest;
    index_vector block = block_;
    while (true) {
      auto candidate = limits(block, chunks[axis_]).choose_blocks(points());
      if (candidate && (!largest || candidate->least_chunk > largest->least_chunk)) {
        largest = candidate;
        block_ = block;
      }
      if (candidate && candidate->is_without_copies()) break;
      // With fewer lines in a block, longer parts of each line fit.
      index_t& longest = *std::max_element(block.begin(), block.end());
      if (longest <= 1) break;
      longest = ceil_divide(longest, 2);
    }
    if (largest) blocks_ = *largest;
    return largest.has_value();
  }

  /// Returns the next number of points that has blocks, or nullopt if none of the next 2,000 has.
  [[nodiscard]] std::optional<index_t> find_next_points(const index_vector& chunks) const {
    constexpr index_t most_tried = 2000;
    const transform_limits one_line = limits(index_vector(layout().shape.size(), 1), chunks[axis_]);
    for (index_t padding = 1; padding <= most_tried; ++padding) {
      if (one_line.choose_blocks(points() + padding)) return points() + padding;
    }
    return std::nullopt;
  }

  [[nodiscard]] array_handle run(const index_vector& chunks) const {
    const array_view columns = split_line();
    const array_handle turned = transform_lines(
        "columns", line::four_step_fft(input_type()),
        line::four_step_parameters({blocks_.rows, points(), parameters_.is_inverse}), columns,
        axis_, blocks_.turned, {blocks_.rows, blocks_.columns_at_once});
    const array_handle transposed = transform_lines(
        "rows", line::fft(complex_),
        line::transform_parameters({blocks_.columns, parameters_.is_inverse,
                                    is_real_inverse_ ? 2 * parameters_.scale : parameters_.scale}),
        whole_of(turned), axis_ + 1, blocks_.transformed, {blocks_.rows_at_once, blocks_.columns});
    return join_columns(transposed, chunks);
  }

 private:
  using extent_pair = std::pair<index_t, index_t>;

  [[nodiscard]] const array_layout& layout() const { return lines_.layout; }
  [[nodiscard]] dtype input_type() const { return lines_.kernel.inputs.front(); }
  [[nodiscard]] std::string name_of(std::string_view step) const {
    return fmt::format("{}: {}", lines_.name, step);
  }

  [[nodiscard]] transform_limits limits(const index_vector& block, index_t chunk) const {
    const array_node& x = *lines_.x.array;
    const bool is_read = std::holds_alternative<stored_source>(x.source) ||
                         std::holds_alternative<computed_source>(x.source);
    transform_limits limits;
    limits.room = lines_.memory_limit();
    limits.chunk_read = is_read
                            ? static_cast<double>(num_elements(clip_chunks(x.chunks, x.shape))) *
                                  static_cast<double>(x.type.size())
                            : 0;
    const costs io_costs = spec_of_layout(layout()).costs;
    limits.worthwhile_chunk =
        io_costs.wait(1).count() * static_cast<double>(io_costs.read_bandwidth.count());
    limits.size_before = static_cast<double>(size_of(input_type()));
    limits.size_after = static_cast<double>(size_of(complex_));
    limits.size_joined = limits.size_after;
    if (is_real_inverse_) limits.size_joined += limits.size_after / 2;
    limits.lines = static_cast<double>(num_elements(block));
    limits.chunk_before = layout().chunks[axis_];
    limits.chunk_after = chunk;
    limits.length_after = *lines_.line_result.length;
    limits.of_columns = &line::four_step_fft(input_type());
    limits.of_rows = &line::fft(complex_);
    return limits;
  }

  /// Returns `extents` with the extent of the line replaced by the two `factors`.
  [[nodiscard]] index_vector split_axis(const index_vector& extents, extent_pair factors) const {
    index_vector result;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      result.push_back(axis == axis_ ? factors.first : extents[axis]);
      if (axis == axis_) result.push_back(factors.second);
    }
    return result;
  }
  [[nodiscard]] index_vector with_length(index_vector extents, index_t length) const {
    extents[axis_] = length;
    return extents;
  }

  /// Returns the output of `op` in the chunks that the next step reads.
  [[nodiscard]] array_handle make_intermediate(operation op, std::vector<array_handle> inputs,
                                               const transform_chunks& chunks) const {
    const extent_pair read{chunks.rows, chunks.columns};
    array_handle intermediate =
        make_output_arrays(std::move(op), std::move(inputs),
                           {split_axis(block_, chunks.written.value_or(read))})
            .front();
    if (!chunks.written) return intermediate;
    const index_vector shape = intermediate->shape;
    return materialise("rechunk", whole_of(std::move(intermediate)), shape,
                       split_axis(block_, read));
  }

  /// Returns the operand, rechunked if blocks of rows would read most of its chunks several times.
  [[nodiscard]] array_view operand(const index_map& into_rows) const {
    array_view x = lines_.x;
    const index_t length = blocks_.rows_split * blocks_.columns;
    const index_t chunk = layout().chunks[axis_];
    double reads =
        length % chunk == 0 ? 1 : 1 + static_cast<double>(chunk) / static_cast<double>(length);
    for (std::size_t axis = 0; axis < block_.size(); ++axis) {
      if (axis != axis_) {
        reads *= std::max(
            1.0, static_cast<double>(layout().chunks[axis]) / static_cast<double>(block_[axis]));
      }
    }
    const bool is_read = !std::holds_alternative<memory_source>(x.array->source) &&
                         !std::holds_alternative<generated_source>(x.array->source);
    const bool is_rechunked = is_read && reads > most_bytes_read;
    if (is_rechunked || !can_compose(x.map, into_rows)) {
      x = whole_of(materialise("copy", x, layout().shape, layout().chunks));
    }
    if (!is_rechunked) return x;
    const index_vector rows = with_length(block_, blocks_.split.rows * blocks_.columns);
    return whole_of(materialise("rechunk", x, layout().shape, clip_chunks(rows, layout().shape)));
  }

  /// Returns the line as rows, with zeros behind its elements if it has fewer than `points`.
  [[nodiscard]] array_view split_line() const {
    const index_vector domain = split_axis(layout().shape, {blocks_.rows, blocks_.columns});
    std::vector<axis_map> axes;
    for (std::size_t axis = 0; axis < layout().shape.size(); ++axis) {
      axes.emplace_back(axis > axis_ ? axis + 1 : axis, 0, 1);
    }
    axes[axis_] = {axis_, 0, blocks_.columns};
    axes[axis_].add({axis_ + 1, 1});
    const index_map into_rows(domain.size(), std::move(axes));
    const array_view rows = seen_through(operand(into_rows), into_rows);
    const auto* memory = std::get_if<memory_source>(&rows.array->source);
    const bool is_whole = layout().shape[axis_] >= points() && !is_real_inverse_;
    if (is_whole && memory != nullptr && memory->parts == nullptr) return rows;
    operation op;
    op.name = name_of("split");
    op.schedule.domain = domain;
    op.schedule.block = split_axis(block_, {blocks_.rows_split, blocks_.columns});
    op.schedule.step = op.schedule.block;
    if (is_whole) {
      op.operands = {rows.map};
      op.primitive = copy_of(domain, input_type());
      return whole_of(make_intermediate(std::move(op), {rows.array}, blocks_.split));
    }
    operand_list operands;
    op.primitive = map_of(pad_with_zeros(operands, domain, rows), input_type());
    op.operands = operands.maps();
    return whole_of(make_intermediate(std::move(op), operands.arrays(), blocks_.split));
  }

  /// Returns the pieces of the domain of `rows`: the elements of the line, then zeros.
  [[nodiscard]] std::vector<piece> pad_with_zeros(operand_list& operands,
                                                  const index_vector& domain,
                                                  const array_view& rows) const {
    const strip_source zeros(whole_of(visit_dtype(input_type(), [&]<class T>(type_tag<T>) {
      return make_generated("zeros", domain, domain, generator::constant<T>(),
                            generator::constant_parameters<T>(T{}));
    })));
    const strip_source elements(rows);
    std::vector<piece> pieces;
    if (!is_real_inverse_) {
      const index_t filled = layout().shape[axis_];
      add_run(pieces, operands, {0, filled}, elements);
      add_run(pieces, operands, {filled, points()}, zeros);
      return pieces;
    }
    strip_source halved(rows);
    halved.kernel = &line::halved(input_type());
    const index_t middle = points() / 2;
    const index_t filled = std::min(layout().shape[axis_], middle + 1);
    const bool has_middle = filled == middle + 1 && points() % 2 == 0;
    add_run(pieces, operands, {0, 1}, halved);
    add_run(pieces, operands, {1, has_middle ? middle : filled}, elements);
    if (has_middle) add_run(pieces, operands, {middle, filled}, halved);
    add_run(pieces, operands, {filled, points()}, zeros);
    return pieces;
  }

  /// Adds the pieces that cover `run`, a range [first, second) of the line, computed by `source`.
  void add_run(std::vector<piece>& pieces, operand_list& operands, extent_pair run,
               const strip_source& source) const {
    const index_t length = blocks_.columns;
    const index_t stop = run.second;
    for (index_t position = run.first; position < stop;) {
      const extent_pair first{position / length, position % length};
      // Whole rows are one piece.
      const index_t rows = first.second > 0 ? 0 : (stop - position) / length;
      const extent_pair last =
          rows > 0 ? extent_pair{first.first + rows, length}
                   : extent_pair{first.first + 1, std::min(length, first.second + stop - position)};
      const region box{split_axis(index_vector(layout().shape.size()), first),
                       split_axis(layout().shape, last)};
      if (!box.empty()) pieces.push_back(operands.add_piece(box, source));
      position += (last.first - first.first) * (last.second - first.second);
    }
  }

  /// Returns `kernel` on the lines of `source` along `axis`. They are the columns of the result.
  [[nodiscard]] array_handle transform_lines(std::string_view step, const block_kernel& kernel,
                                             kernel_parameters parameters, const array_view& source,
                                             std::size_t axis,
                                             const transform_chunks& chunks_between,
                                             extent_pair block) const {
    const std::size_t kept_axis = axis == axis_ ? axis_ + 1 : axis_;
    operation op;
    op.name = name_of(step);
    op.schedule.domain = split_axis(layout().shape, {blocks_.rows, blocks_.columns});
    op.schedule.block = split_axis(block_, block);
    op.schedule.step = op.schedule.block;
    op.operands = {source.map};
    block_schedule blocks;
    blocks.whole.set(axis);
    // The kernel needs the position of a line along the kept axis, for the twiddle factors.
    std::vector<std::size_t> kernel_axes;
    for (std::size_t k = 0; k < op.schedule.rank(); ++k) {
      if (k != axis_ && k != axis_ + 1) kernel_axes.push_back(k);
    }
    kernel_axes.push_back(kept_axis);
    block_output_spec& output_spec = blocks.outputs.emplace_back();
    for (const std::size_t k : kernel_axes) {
      output_spec.order.push_back(k == kept_axis ? axis_ + 1 : k);
    }
    output_spec.order.push_back(axis_);
    for (std::size_t k = 0; k < op.schedule.rank(); ++k)
      output_spec.axes.push_back({axis_kind::along, k});
    output_spec.axes[axis_] = {axis_kind::extra, 0, op.schedule.domain[axis]};
    output_spec.axes[axis_ + 1] = {axis_kind::along, kept_axis};
    kernel_axes.push_back(axis);
    blocks.inputs.push_back(block_axes_along(kernel_axes));
    op.primitive =
        std::make_shared<const block_function>(kernel, std::move(parameters), std::move(blocks));
    return make_intermediate(std::move(op), {source.array}, chunks_between);
  }

  /// Returns the rows of `transposed`, one behind another, as lines.
  [[nodiscard]] array_handle join_columns(const array_handle& transposed,
                                          const index_vector& chunks) const {
    const index_vector shape = with_length(layout().shape, *lines_.line_result.length);
    std::vector<gathered_axes> factors;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      factors.push_back({{shape[axis]}, {shape[axis]}});
    }
    factors[axis_] = {{points()}, {blocks_.columns, blocks_.rows}};
    operation op;
    op.name = name_of("join");
    op.schedule.domain = shape;
    op.schedule.block = op.schedule.step = with_length(block_, blocks_.joined);
    const array_view view{transposed,
                          {shape.size(), index_map::identity(shape.size()).axes(),
                           std::make_shared<const gather>(
                               std::move(factors), index_map::identity(transposed->shape.size()))}};
    op.operands = {view.map};
    if (is_real_inverse_) {
      strip_source real(view);
      real.kernel = &line::real_part(complex_);
      operand_list operands;
      op.primitive =
          map_of({operands.add_piece(region::whole(shape), real)}, lines_.kernel.outputs.front());
    } else {
      op.primitive = copy_of(shape, complex_);
    }
    const index_t length = blocks_.joined % chunks[axis_] == 0 ? chunks[axis_] : blocks_.joined;
    array_handle joined =
        make_output_arrays(std::move(op), {transposed}, {with_length(block_, length)}).front();
    return materialise("rechunk", whole_of(std::move(joined)), shape, chunks);
  }

  const out_of_core_lines& lines_;
  line::fourier_spec parameters_;
  bool is_real_inverse_;
  /// The type of coefficients.
  dtype complex_;
  std::size_t axis_ = 0;
  /// The extents of a block along the axes besides the line's; 1 along the line's.
  index_vector block_;
  transform_blocks blocks_;
};

/// Tells whether no task can hold a line: its points or the kernel's workspace are too many.
bool cannot_hold_line(const out_of_core_lines& lines, index_t points) {
  if (points > line::most_points) return true;
  const block_shapes shapes{{{lines.layout.shape[0]}}, {{points}}, lines.parameters.get()};
  const double work = static_cast<double>(lines.kernel.workspace(shapes)) +
                      static_cast<double>(lines.kernel.kept(shapes));
  return work > lines.memory_limit();
}

[[noreturn]] void refuse(const out_of_core_lines& lines, index_t points,
                         const std::string& remedy) {
  throw memory_error(fmt::format(
      "{}: a task holds a whole line, and one of {} points takes {} of the {} that it may use; {}",
      lines.name, points, format_short(bytes{static_cast<std::size_t>(lines.line_memory())}),
      format_short(bytes{static_cast<std::size_t>(lines.memory_limit())}), remedy));
}

}  // namespace

bool is_fft_kernel(const block_kernel& kernel) {
  const dtype type = kernel.inputs.front();
  return &kernel == &line::fft(type) || &kernel == &line::rfft(type) ||
         &kernel == &line::irfft(type);
}

array_handle make_out_of_core_fft(const out_of_core_lines& lines, const index_vector& chunks,
                                  const std::function<bytes()>& find_enough_memory) {
  const index_t points = static_cast<const line::fourier_spec*>(lines.parameters.get())->points;
  constexpr double margin = 1.0 / 16;
  const bool is_short =
      points <= line::most_points && lines.line_memory() <= (1 - margin) * lines.memory_limit();
  if (is_short) return nullptr;
  const bool is_too_long = cannot_hold_line(lines, points);
  out_of_core_fft fft(lines);
  if (fft.choose_blocks(chunks)) return fft.run(chunks);
  if (!is_too_long) return nullptr;
  const std::optional<index_t> next = fft.find_next_points(chunks);
  refuse(lines, points,
         fmt::format("several tasks share one of n1 * n2 points, both few enough, and {} is no "
                     "such product: {}take an allowed_memory of at least {}",
                     points, next ? fmt::format("pad it by points({}), or ", *next) : "",
                     format(find_enough_memory())));
}

}  // namespace tessera
