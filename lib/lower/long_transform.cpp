// SPDX-License-Identifier: Apache-2.0
#include "lower/long_transform.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/gather.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/half_lines.hpp"
#include "tessera/kernel/lines.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"
#include "tessera/primitive/copy.hpp"
#include "tessera/primitive/strips.hpp"

#include "lower/operands.hpp"
#include "lower/transform_blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// A task reads chunks that others read as well at most so many times as much as it needs.
constexpr double most_reads = 3;

/// Tells whether `kernel` makes real elements of the coefficients that are not conjugate to others.
bool is_from_half(const block_kernel& kernel) {
  return &kernel == &line::irfft(kernel.inputs.front());
}

/// Transforms along one axis of an array, in steps.
class transform_steps {
 public:
  explicit transform_steps(const long_lines& lines)
      : lines_(lines),
        made_(*static_cast<const line::transform_made*>(lines.parameters.get())),
        is_from_half_(is_from_half(lines.kernel)),
        complex_((is_from_half_ ? lines.kernel.inputs : lines.kernel.outputs).front()) {
    while (!lines.lined[axis_]) ++axis_;
    for (std::size_t axis = 0; axis < of().shape.size(); ++axis) {
      beside_.push_back(axis == axis_ ? 1 : std::min(of().chunks[axis], of().shape[axis]));
    }
  }

  [[nodiscard]] index_t points() const { return made_.points; }

  /// Finds blocks of all steps that tasks hold; returns whether there are some.
  bool find_blocks(const index_vector& chunks) {
    std::optional<transform_blocks> best;
    index_vector beside = beside_;
    while (true) {
      auto found = limits(beside, chunks[axis_]).blocks(points());
      if (found && (!best || found->least_chunk > best->least_chunk)) {
        best = found;
        beside_ = beside;
      }
      if (found && found->hands_on()) break;
      // With fewer lines side by side longer parts of them fit.
      index_t& longest = *std::max_element(beside.begin(), beside.end());
      if (longest <= 1) break;
      longest = ceil_divide(longest, 2);
    }
    if (best) blocks_ = *best;
    return best.has_value();
  }

  /// Returns the next number of points for which there are blocks; none if that is far away.
  [[nodiscard]] std::optional<index_t> next_points(const index_vector& chunks) const {
    constexpr index_t most_tried = 2000;
    const transform_limits single = limits(index_vector(of().shape.size(), 1), chunks[axis_]);
    for (index_t more = 1; more <= most_tried; ++more) {
      if (single.blocks(points() + more)) return points() + more;
    }
    return std::nullopt;
  }

  /// Returns the least memory of a task for which there are blocks, at most that of a whole line.
  [[nodiscard]] double least_room(const index_vector& chunks) const {
    constexpr double step = 1.25;
    transform_limits single = limits(index_vector(of().shape.size(), 1), chunks[axis_]);
    const double most = lines_.memory_of_line();
    while (single.room < most && !single.blocks(points())) single.room *= step;
    return std::min(single.room, most);
  }

  [[nodiscard]] array_handle run(const index_vector& chunks) const {
    const array_view columns = split();
    const array_handle turned =
        transformed("columns", line::turned_fft(of_elements()),
                    line::turned_parameters({blocks_.rows, points(), made_.is_inverse}), columns,
                    axis_, blocks_.turned, {blocks_.rows, blocks_.columns_at_once});
    const array_handle found = transformed(
        "rows", line::fft(complex_),
        line::transform_parameters(
            {blocks_.columns, made_.is_inverse, is_from_half_ ? 2 * made_.scale : made_.scale}),
        whole_of(turned), axis_ + 1, blocks_.transformed, {blocks_.rows_at_once, blocks_.columns});
    return joined(found, chunks);
  }

 private:
  using extents_of_two = std::pair<index_t, index_t>;

  [[nodiscard]] const array_layout& of() const { return lines_.of; }
  [[nodiscard]] dtype of_elements() const { return lines_.kernel.inputs.front(); }
  [[nodiscard]] std::string name_of(std::string_view step) const {
    return fmt::format("{}: {}", lines_.name, step);
  }

  [[nodiscard]] transform_limits limits(const index_vector& beside, index_t chunk) const {
    const array_node& x = *lines_.x.array;
    const bool is_read = std::holds_alternative<stored_source>(x.source) ||
                         std::holds_alternative<computed_source>(x.source);
    transform_limits limits;
    limits.room = lines_.room();
    limits.chunk_read = is_read
                            ? static_cast<double>(num_elements(clip_chunks(x.chunks, x.shape))) *
                                  static_cast<double>(x.type.size())
                            : 0;
    const costs figures = limits_of(of()).costs;
    limits.worthwhile_chunk =
        figures.wait(1).count() * static_cast<double>(figures.read_bandwidth.count());
    limits.size_before = static_cast<double>(size_of(of_elements()));
    limits.size_after = static_cast<double>(size_of(complex_));
    limits.size_joined = limits.size_after;
    if (is_from_half_) limits.size_joined += limits.size_after / 2;
    limits.lines = static_cast<double>(num_elements(beside));
    limits.chunk_before = of().chunks[axis_];
    limits.chunk_after = chunk;
    limits.length_after = *lines_.made.length;
    limits.of_columns = &line::turned_fft(of_elements());
    limits.of_rows = &line::fft(complex_);
    return limits;
  }

  /// Returns extents with two in place of the one of the line.
  [[nodiscard]] index_vector in_two(const index_vector& extents, extents_of_two two) const {
    index_vector result;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      result.push_back(axis == axis_ ? two.first : extents[axis]);
      if (axis == axis_) result.push_back(two.second);
    }
    return result;
  }
  [[nodiscard]] index_vector with_length(index_vector extents, index_t length) const {
    extents[axis_] = length;
    return extents;
  }

  /// Returns the array that `what` makes, in the chunks in which another step reads it.
  [[nodiscard]] array_handle handed_on(operation what, std::vector<array_handle> from,
                                       const transform_chunks& between) const {
    const extents_of_two read{between.rows, between.columns};
    array_handle made = arrays_made_by(std::move(what), std::move(from),
                                       {in_two(beside_, between.made.value_or(read))})
                            .front();
    if (!between.made) return made;
    const index_vector shape = made->shape;
    return materialise("rechunk", whole_of(std::move(made)), shape, in_two(beside_, read));
  }

  /// Returns the operand, of which rows that are split off read few chunks beside their own.
  [[nodiscard]] array_view operand(const index_map& into_rows) const {
    array_view x = lines_.x;
    const index_t length = blocks_.rows_split * blocks_.columns;
    const index_t chunk = of().chunks[axis_];
    double reads =
        length % chunk == 0 ? 1 : 1 + static_cast<double>(chunk) / static_cast<double>(length);
    for (std::size_t axis = 0; axis < beside_.size(); ++axis) {
      if (axis != axis_) {
        reads *= std::max(
            1.0, static_cast<double>(of().chunks[axis]) / static_cast<double>(beside_[axis]));
      }
    }
    const bool is_read = !std::holds_alternative<memory_source>(x.array->source) &&
                         !std::holds_alternative<generated_source>(x.array->source);
    const bool is_rechunked = is_read && reads > most_reads;
    if (is_rechunked || !can_compose(x.map, into_rows)) {
      x = whole_of(materialise("copy", x, of().shape, of().chunks));
    }
    if (!is_rechunked) return x;
    const index_vector rows = with_length(beside_, blocks_.split.rows * blocks_.columns);
    return whole_of(materialise("rechunk", x, of().shape, clip_chunks(rows, of().shape)));
  }

  /// Returns the line as rows, with zeros where it has fewer elements than there are points.
  [[nodiscard]] array_view split() const {
    const index_vector domain = in_two(of().shape, {blocks_.rows, blocks_.columns});
    std::vector<axis_map> axes;
    for (std::size_t axis = 0; axis < of().shape.size(); ++axis) {
      axes.emplace_back(axis > axis_ ? axis + 1 : axis, 0, 1);
    }
    axes[axis_] = {axis_, 0, blocks_.columns};
    axes[axis_].add({axis_ + 1, 1});
    const index_map into_rows(domain.size(), std::move(axes));
    const array_view rows = seen_through(operand(into_rows), into_rows);
    const auto* memory = std::get_if<memory_source>(&rows.array->source);
    const bool is_whole = of().shape[axis_] >= points() && !is_from_half_;
    if (is_whole && memory != nullptr && memory->parts == nullptr) return rows;
    operation what;
    what.name = name_of("split");
    what.how.domain = domain;
    what.how.block = in_two(beside_, {blocks_.rows_split, blocks_.columns});
    what.how.stream = what.how.block;
    if (is_whole) {
      what.operands = {rows.map};
      what.body = copy_of(domain, of_elements());
      return whole_of(handed_on(std::move(what), {rows.array}, blocks_.split));
    }
    operand_list operands;
    what.body = map_of(with_zeros(operands, domain, rows), of_elements());
    what.operands = operands.maps();
    return whole_of(handed_on(std::move(what), operands.arrays(), blocks_.split));
  }

  /// Returns the pieces of the domain of `rows`: the elements of the line, and zeros behind them.
  [[nodiscard]] std::vector<piece> with_zeros(operand_list& operands, const index_vector& domain,
                                              const array_view& rows) const {
    const strip_source zeros(whole_of(visit_dtype(of_elements(), [&]<class T>(type_tag<T>) {
      return make_generated("zeros", domain, domain, generator::constant<T>(),
                            generator::constant_parameters<T>(T{}));
    })));
    const strip_source elements(rows);
    std::vector<piece> pieces;
    if (!is_from_half_) {
      const index_t taken = of().shape[axis_];
      add_run(pieces, operands, {0, taken}, elements);
      add_run(pieces, operands, {taken, points()}, zeros);
      return pieces;
    }
    strip_source halves(rows);
    halves.kernel = &line::halved(of_elements());
    const index_t middle = points() / 2;
    const index_t taken = std::min(of().shape[axis_], middle + 1);
    const bool is_alone = taken == middle + 1 && points() % 2 == 0;
    add_run(pieces, operands, {0, 1}, halves);
    add_run(pieces, operands, {1, is_alone ? middle : taken}, elements);
    if (is_alone) add_run(pieces, operands, {middle, taken}, halves);
    add_run(pieces, operands, {taken, points()}, zeros);
    return pieces;
  }

  /// Adds pieces of rows that are together a run of the line, made by `source`.
  void add_run(std::vector<piece>& pieces, operand_list& operands, extents_of_two run,
               const strip_source& source) const {
    const index_t length = blocks_.columns;
    const index_t stop = run.second;
    for (index_t at = run.first; at < stop;) {
      const extents_of_two first{at / length, at % length};
      // Whole rows are one piece.
      const index_t rows = first.second > 0 ? 0 : (stop - at) / length;
      const extents_of_two last =
          rows > 0 ? extents_of_two{first.first + rows, length}
                   : extents_of_two{first.first + 1, std::min(length, first.second + stop - at)};
      const region where{in_two(index_vector(of().shape.size()), first), in_two(of().shape, last)};
      if (!where.empty()) pieces.push_back(operands.add_piece(where, source));
      at += (last.first - first.first) * (last.second - first.second);
    }
  }

  /// Returns what `kernel` makes of the lines of `from` along `axis`, which stand as columns in the
  /// result.
  [[nodiscard]] array_handle transformed(std::string_view step, const block_kernel& kernel,
                                         kernel_parameters parameters, const array_view& from,
                                         std::size_t axis, const transform_chunks& between,
                                         extents_of_two block) const {
    const std::size_t other = axis == axis_ ? axis_ + 1 : axis_;
    operation what;
    what.name = name_of(step);
    what.how.domain = in_two(of().shape, {blocks_.rows, blocks_.columns});
    what.how.block = in_two(beside_, block);
    what.how.stream = what.how.block;
    what.operands = {from.map};
    block_walk how;
    how.whole.set(axis);
    // The kernel sees where a line is along the axis before it.
    std::vector<std::size_t> seen;
    for (std::size_t k = 0; k < what.how.rank(); ++k) {
      if (k != axis_ && k != axis_ + 1) seen.push_back(k);
    }
    seen.push_back(other);
    block_made& made = how.outputs.emplace_back();
    for (const std::size_t k : seen) made.order.push_back(k == other ? axis_ + 1 : k);
    made.order.push_back(axis_);
    for (std::size_t k = 0; k < what.how.rank(); ++k) made.axes.push_back({axis_kind::along, k});
    made.axes[axis_] = {axis_kind::own, 0, what.how.domain[axis]};
    made.axes[axis_ + 1] = {axis_kind::along, other};
    seen.push_back(axis);
    how.inputs.push_back(seen_along(seen));
    what.body =
        std::make_shared<const block_function>(kernel, std::move(parameters), std::move(how));
    return handed_on(std::move(what), {from.array}, between);
  }

  /// Returns the elements of `columns`, one row after the other, as lines again.
  [[nodiscard]] array_handle joined(const array_handle& found, const index_vector& chunks) const {
    const index_vector shape = with_length(of().shape, *lines_.made.length);
    std::vector<gathered_axes> factors;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      factors.push_back({{shape[axis]}, {shape[axis]}});
    }
    factors[axis_] = {{points()}, {blocks_.columns, blocks_.rows}};
    operation what;
    what.name = name_of("join");
    what.how.domain = shape;
    what.how.block = what.how.stream = with_length(beside_, blocks_.joined);
    const array_view seen{found,
                          {shape.size(), index_map::identity(shape.size()).axes(),
                           std::make_shared<const gather>(
                               std::move(factors), index_map::identity(found->shape.size()))}};
    what.operands = {seen.map};
    if (is_from_half_) {
      strip_source real(seen);
      real.kernel = &line::real_part(complex_);
      operand_list operands;
      what.body =
          map_of({operands.add_piece(region::whole(shape), real)}, lines_.kernel.outputs.front());
    } else {
      what.body = copy_of(shape, complex_);
    }
    const index_t length = blocks_.joined % chunks[axis_] == 0 ? chunks[axis_] : blocks_.joined;
    array_handle made =
        arrays_made_by(std::move(what), {found}, {with_length(beside_, length)}).front();
    return materialise("rechunk", whole_of(std::move(made)), shape, chunks);
  }

  const long_lines& lines_;
  line::transform_made made_;
  bool is_from_half_;
  /// The type of coefficients.
  dtype complex_;
  std::size_t axis_ = 0;
  /// What steps take of axes beside that of the lines.
  index_vector beside_;
  transform_blocks blocks_;
};

/// Tells whether a task cannot hold a line: what it reads of it, and its work, are too much.
bool is_too_long(const long_lines& lines, index_t points) {
  if (points > line::most_points) return true;
  const block_shapes shapes{{{lines.of.shape[0]}}, {{points}}, lines.parameters.get()};
  const double work = static_cast<double>(lines.kernel.workspace(shapes)) +
                      static_cast<double>(lines.kernel.kept(shapes));
  return work > lines.room();
}

[[noreturn]] void refuse(const long_lines& lines, index_t points, const std::string& remedy) {
  throw memory_error(fmt::format(
      "{}: a task holds a whole line, and one of {} points takes {} of the {} that it may use; {}",
      lines.name, points, format_short(bytes{static_cast<std::size_t>(lines.memory_of_line())}),
      format_short(bytes{static_cast<std::size_t>(lines.room())}), remedy));
}

}  // namespace

bool is_transform(const block_kernel& kernel) {
  const dtype type = kernel.inputs.front();
  return &kernel == &line::fft(type) || &kernel == &line::rfft(type) ||
         &kernel == &line::irfft(type);
}

array_handle transform_in_steps(const long_lines& lines, const index_vector& chunks) {
  const index_t points = static_cast<const line::transform_made*>(lines.parameters.get())->points;
  constexpr double margin = 1.0 / 16;
  const bool is_short =
      points <= line::most_points && lines.memory_of_line() <= (1 - margin) * lines.room();
  if (is_short) return nullptr;
  const bool is_refused = is_too_long(lines, points);
  transform_steps steps(lines);
  if (steps.find_blocks(chunks)) return steps.run(chunks);
  if (!is_refused) return nullptr;
  const std::optional<index_t> next = steps.next_points(chunks);
  const bytes needed{static_cast<std::size_t>(steps.least_room(chunks))};
  refuse(lines, points,
         fmt::format("several tasks share one of n1 * n2 points, both few enough, and {} is no "
                     "such product: {}take an allowed_memory above {}",
                     points, next ? fmt::format("pad it by points({}), or ", *next) : "",
                     format_short(needed + limits_of(lines.of).reserved_memory)));
}

}  // namespace tessera
