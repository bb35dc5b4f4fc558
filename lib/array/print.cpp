// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/print.hpp"

#include "tessera/expr/layout.hpp"

#include "array/element_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

// The defaults of numpy.set_printoptions: threshold, edgeitems, linewidth.
constexpr index_t summary_threshold = 1000;
constexpr index_t edge_items = 3;
constexpr std::size_t line_width = 75;

/// Lays out the texts of elements in brackets, as numpy.core.arrayprint._formatArray does.
class array_printer {
 public:
  array_printer(dtype type, const std::byte* elements, std::span<const index_t> shape)
      : shape_(shape), is_summary_(num_elements(shape) > summary_threshold) {
    std::vector<index_t> positions;
    collect(0, 0, positions);
    texts_ = format_elements(type, elements, positions);
  }

  std::string print() { return print_axis(0, " ", line_width); }

 private:
  [[nodiscard]] bool is_cut(std::size_t axis) const {
    return is_summary_ && shape_[axis] > 2 * edge_items;
  }

  /// Collects the positions of the elements that are shown, in row-major order.
  void collect(std::size_t axis, index_t offset, std::vector<index_t>& positions) const {
    if (axis == shape_.size()) {
      positions.push_back(offset);
      return;
    }
    for (index_t i = 0; i < shape_[axis]; ++i) {
      if (is_cut(axis) && i == edge_items) i = shape_[axis] - edge_items;
      const index_t next = axis + 1 < shape_.size() ? shape_[axis + 1] : 1;
      collect(axis + 1, (offset + i) * next, positions);
    }
  }

  /// Prints an axis and its inner axes; every line but the first begins with `indent`.
  std::string print_axis(std::size_t axis, const std::string& indent, std::size_t width) {
    const index_t shown = is_cut(axis) ? 2 * edge_items : shape_[axis];
    const std::string text = axis + 1 == shape_.size() ? print_row(axis, shown, indent, width - 1)
                                                       : print_rows(axis, shown, indent, width - 1);
    return fmt::format("[{}]", text.substr(indent.size()));
  }

  std::string print_row(std::size_t axis, index_t shown, const std::string& indent,
                        std::size_t width) {
    std::string finished_lines;
    std::string line = indent;
    for (index_t i = 0; i < shown; ++i) {
      if (is_cut(axis) && i == edge_items)
        append_word(finished_lines, line, "... ", 3, indent, width);
      std::string word = texts_[next_text_++];
      const std::size_t size = word.size();
      if (i + 1 < shown) word += ' ';
      append_word(finished_lines, line, word, size, indent, width);
    }
    return finished_lines + line;
  }

  /// Appends `word` to `line`; begins a new line if its first `size` characters do not fit.
  static void append_word(std::string& finished_lines, std::string& line, std::string_view word,
                          std::size_t size, const std::string& indent, std::size_t width) {
    if (line.size() + size > width && line.size() > indent.size()) {
      finished_lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      line = indent;
    }
    line += word;
  }

  std::string print_rows(std::size_t axis, index_t shown, const std::string& indent,
                         std::size_t width) {
    const std::string between(shape_.size() - axis - 1, '\n');
    std::string text;
    for (index_t i = 0; i < shown; ++i) {
      if (is_cut(axis) && i == edge_items) text += indent + "..." + between;
      text += indent + print_axis(axis + 1, indent + " ", width);
      if (i + 1 < shown) text += between;
    }
    return text;
  }

  std::span<const index_t> shape_;
  bool is_summary_;
  std::vector<std::string> texts_;
  std::size_t next_text_ = 0;
};

}  // namespace

std::string format_array(dtype type, const std::byte* elements, std::span<const index_t> shape) {
  if (shape.empty()) return format_scalar(type, elements);
  if (num_elements(shape) == 0) return "[]";
  return array_printer(type, elements, shape).print();
}

std::ostream& print_array(std::ostream& out, dtype type, const std::byte* elements,
                          std::span<const index_t> shape) {
  return out << format_array(type, elements, shape);
}

std::ostream& print_layout(std::ostream& out, dtype type, const array_layout& layout) {
  return out << "lazy array of " << name_of(type) << ", shape " << format_shape(layout.shape)
             << ", chunks " << format_shape(layout.chunks)
             << "; not computed: print x.compute() for its elements";
}

}  // namespace tessera::detail
