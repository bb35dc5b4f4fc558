// SPDX-License-Identifier: Apache-2.0
/// \file
/// The labels of kernels, as plans show them: "u * 2.5" of the label "({0} * {#8:float64})".
///
/// The label of a compiled expression is a constant of its type. So it has keys for the texts that
/// are known at run time: `{0}` stands for operand 0, `{#8:float64}` for the constant at byte 8 of
/// the parameters. Parentheses around a whole label, or around a whole argument, are left out.

#include "tessera/kernel/label.hpp"

#include "tessera/core/dtype.hpp"

#include <cctype>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

/// Returns the number at the start of `text`.
std::size_t parse_number(std::string_view text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <class T>
std::string print_value(std::string_view bytes) {
  T value{};
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(T));
  if constexpr (std::same_as<T, float16>) {
    return fmt::format("{}", static_cast<float>(value));
  } else if constexpr (is_complex(dtype_of<T>)) {
    return fmt::format("({}{:+}j)", value.real(), value.imag());
  } else {
    return fmt::format("{}", value);
  }
}

/// Returns the constant that `key`, as "#8:float64", stands for.
std::string print_constant(std::string_view key, std::string_view identity) {
  const std::size_t offset = parse_number(key.substr(1));
  const std::string_view type_name = key.substr(key.find(':') + 1);
  for (auto type = dtype::boolean; type <= dtype::complex128;
       type = static_cast<dtype>(static_cast<int>(type) + 1)) {
    if (name_of(type) != type_name) continue;
    if (identity.size() < offset + size_of(type)) return "_";
    return visit_dtype(type, [&]<class T>(type_tag<T>) {
      return print_value<T>(identity.substr(offset, sizeof(T)));
    });
  }
  return "_";
}

/// Returns `label` with each `{key}` replaced by `replace(key)`.
template <class Replace>
std::string replace_keys(std::string_view label, Replace&& replace) {
  std::string text;
  while (!label.empty()) {
    const std::size_t open = label.find('{');
    text += label.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = label.find('}', open);
    text += replace(label.substr(open + 1, close - open - 1));
    label.remove_prefix(close + 1);
  }
  return text;
}

/// Returns the index at which the parenthesis that opens at `open` closes, or the text's size if it
/// does not close.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

/// Tells whether the parenthesis that opens `text` closes at its end.
bool is_parenthesised(std::string_view text) {
  return !text.empty() && text.front() == '(' && closing(text, 0) + 1 == text.size();
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '>';
}

/// Returns `text` without parentheses around the whole argument of a function: "f((a + b))" is
/// "f(a + b)".
std::string without_double_parentheses(std::string_view text) {
  std::string kept;
  std::vector<std::size_t> left_out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' && at > 1 && text[at - 1] == '(' && is_name(text[at - 2])) {
      const std::size_t close = closing(text, at);
      if (close + 1 < text.size() && text[close + 1] == ')') {
        left_out.push_back(close);
        continue;
      }
    }
    if (!left_out.empty() && left_out.back() == at) {
      left_out.pop_back();
      continue;
    }
    kept += text[at];
  }
  return kept;
}

}  // namespace

std::string print_label(std::string_view label, const std::vector<std::string>& operands,
                        std::string_view identity) {
  if (is_parenthesised(label)) label = label.substr(1, label.size() - 2);
  const std::string text = without_double_parentheses(label);
  return replace_keys(text, [&](std::string_view key) {
    return key.starts_with('#') ? print_constant(key, identity) : operands.at(parse_number(key));
  });
}

std::string detail::substitute_operands(std::string_view label,
                                        const std::vector<std::string>& operands) {
  return replace_keys(label, [&](std::string_view key) { return operands.at(parse_number(key)); });
}

std::string detail::operand_label(std::size_t i) { return fmt::format("{{{}}}", i); }

std::string detail::constant_label(std::size_t position, dtype type) {
  return fmt::format("{{#{}:{}}}", position, name_of(type));
}

std::string detail::fold_name(std::string_view label, const std::vector<dtype>& inputs) {
  std::vector<std::string> names;
  for (const dtype input : inputs) names.emplace_back(name_of(input));
  return fmt::format("{}<{}>", label, fmt::join(names, ", "));
}

std::string detail::call_label(std::string_view name, std::size_t num_operands) {
  std::string label(name);
  for (std::size_t i = 0; i < num_operands; ++i)
    label += fmt::format("{}{{{}}}", i == 0 ? "(" : ", ", i);
  return label + ")";
}

}  // namespace tessera
