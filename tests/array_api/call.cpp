// SPDX-License-Identifier: Apache-2.0
#include "array_api/call.hpp"

#include "tessera/array/detail/requested_plan.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/lower/nodes.hpp"

#include <algorithm>
#include <istream>
#include <numeric>
#include <sstream>

namespace tessera::array_api {
namespace {

std::vector<index_t> integers_of(const std::string& text) {
  std::vector<index_t> values;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) values.push_back(std::stoll(part));
  return values;
}

any_array read_array(std::istream& in, std::istringstream& line,
                     const std::shared_ptr<const spec>& limits) {
  std::string type_name;
  std::string extents;
  line >> type_name >> extents;
  const dtype type = dtype_named(type_name);
  array_layout layout;
  layout.shape = index_vector(std::span<const index_t>(integers_of(extents)));
  layout.chunks = layout.shape;
  for (index_t& chunk : layout.chunks) chunk = std::max<index_t>(1, (chunk + 1) / 2);
  layout.spec = limits;
  const std::size_t size = static_cast<std::size_t>(num_elements(layout.shape)) * size_of(type);
  const std::shared_ptr<std::byte[]> bytes(new std::byte[std::max<std::size_t>(1, size)]);
  in.read(reinterpret_cast<char*>(bytes.get()), static_cast<std::streamsize>(size));
  const index_vector strides = row_major_strides(layout.shape);
  return {whole_of(detail::memory_node(type, layout, bytes, bytes.get(), strides)), layout};
}

}  // namespace

dtype dtype_named(std::string_view name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(dtype::complex128); ++i) {
    if (name_of(static_cast<dtype>(i)) == name) return static_cast<dtype>(i);
  }
  throw bad_call("no dtype is called " + std::string(name));
}

std::vector<any_array> call::arrays(std::size_t first) const {
  std::vector<any_array> arrays;
  for (std::size_t i = first; i < size(); ++i) arrays.push_back(array(i));
  return arrays;
}

std::size_t call::axis(std::size_t i, std::size_t rank) const {
  return checked_axis("axis", static_cast<int>(integer(i)), rank);
}

std::vector<std::size_t> call::axes(std::size_t i, std::size_t rank) const {
  std::vector<std::size_t> axes;
  if (is_none(i)) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    return axes;
  }
  for (const index_t axis : integers(i)) {
    axes.push_back(checked_axis("axis", static_cast<int>(axis), rank));
  }
  return axes;
}

std::optional<std::pair<std::string, call>> read_call(std::istream& in,
                                                      const std::shared_ptr<const spec>& limits) {
  std::string text;
  if (!std::getline(in, text)) return std::nullopt;
  std::istringstream head(text);
  std::string name;
  std::size_t count = 0;
  head >> name >> count;
  std::vector<call::argument> arguments;
  for (std::size_t i = 0; i < count; ++i) {
    std::getline(in, text);
    std::istringstream line(text);
    std::string kind;
    line >> kind;
    if (kind == "a") {
      arguments.emplace_back(read_array(in, line, limits));
    } else if (kind == "i") {
      arguments.emplace_back(integers_of(text.substr(std::min<std::size_t>(2, text.size()))));
    } else if (kind == "s") {
      arguments.emplace_back(text.substr(std::min<std::size_t>(2, text.size())));
    } else {
      arguments.emplace_back();
    }
  }
  return std::pair(std::move(name), call(std::move(arguments)));
}

std::string answer(const results& arrays) {
  std::string text = "ok " + std::to_string(arrays.size()) + "\n";
  for (const any_array& x : arrays) {
    const auto [view, layout] = x.shown();
    const array_handle copied = materialise("copy", view, layout.shape, layout.chunks);
    const run_with serial{.executor = executors::serial()};
    const computed_output computed_x =
        detail::compute_one({computed(copied), nullptr}, layout, serial);
    text += "a " + std::string(name_of(x.dtype())) + " ";
    for (const index_t extent : layout.shape) text += std::to_string(extent) + ",";
    text += "\n";
    text.append(reinterpret_cast<const char*>(computed_x.elements.get()),
                static_cast<std::size_t>(num_elements(layout.shape)) * size_of(x.dtype()));
  }
  return text;
}

}  // namespace tessera::array_api
