// SPDX-License-Identifier: Apache-2.0
#include "primitive/pieces/pieces.hpp"

#include "tessera/kernel/block_runner.hpp"

#include "core/api/text.hpp"
#include "json/fields.hpp"
#include "primitive/pieces/program_json.hpp"
#include "primitive/pieces/programs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tessera {

namespace {

std::vector<std::string> select_words(const std::vector<std::string>& words,
                                      const std::vector<std::size_t>& operands) {
  std::vector<std::string> selected;
  for (const std::size_t operand : operands) selected.push_back(words[operand]);
  return selected;
}

/// The most pieces that two lists are joined into.
constexpr std::size_t most_pieces = 1 << 16;

/// Programs that are made of the programs of pieces. Pieces that share a program share the new one,
/// so that the work does not grow with the number of pieces. The pieces outlive the cache.
class program_cache {
 public:
  /// Returns `outer` with its operand `operand` computed by `inner`.
  [[nodiscard]] const shared_program& inlined(const shared_program& outer, std::size_t operand,
                                              const shared_program& inner) {
    const auto [entry, is_new] = inlined_.try_emplace({outer.get(), operand, inner.get()});
    if (is_new) entry->second = inline_operand(outer, operand, inner);
    return *entry->second;
  }

  /// Returns the program with the operands and the results of `a`, then of `b`.
  [[nodiscard]] const shared_program& concatenated(const shared_program& a,
                                                   const shared_program& b) {
    const auto [entry, is_new] = concatenated_.try_emplace({a.get(), b.get()});
    if (is_new) entry->second = concatenate_programs(a, b);
    return *entry->second;
  }

  /// Returns `program` with operand `i` read from operand `targets[i]` of `count`.
  [[nodiscard]] const shared_program& remapped(const shared_program& program,
                                               const std::vector<std::size_t>& targets,
                                               std::size_t count) {
    const auto [entry, is_new] = remapped_.try_emplace({program.get(), targets});
    if (is_new) entry->second = remap_operands(program, targets, count);
    return *entry->second;
  }

 private:
  using inlining = std::tuple<const strip_program*, std::size_t, const strip_program*>;
  using concatenation = std::pair<const strip_program*, const strip_program*>;
  using remapping = std::pair<const strip_program*, std::vector<std::size_t>>;
  std::map<inlining, std::optional<shared_program>> inlined_;
  std::map<concatenation, std::optional<shared_program>> concatenated_;
  std::map<remapping, std::optional<shared_program>> remapped_;
};

/// Returns `part` with operand `i` read from operand `targets[i]`, and without duplicate operands.
piece remap_operands(const piece& part, const std::vector<std::size_t>& targets,
                     program_cache& programs) {
  std::vector<std::size_t> operands;
  std::vector<std::size_t> local;
  for (const std::size_t operand : part.operands) {
    const std::size_t target = targets[operand];
    const auto match = std::find(operands.begin(), operands.end(), target);
    local.push_back(static_cast<std::size_t>(match - operands.begin()));
    if (match == operands.end()) operands.push_back(target);
  }
  const shared_program& program = programs.remapped(part.program, local, operands.size());
  return {part.box, std::move(operands), program};
}

/// Pieces with inlined operands.
class piece_inlining {
 public:
  piece_inlining(std::span<const inlined_operand> operands, axis_set reduced)
      : operands_(operands), reduced_(reduced) {
    for (std::size_t i = 0; i < operands.size(); ++i) positions_.emplace(operands[i].number, i);
  }

  /// Adds `part`, in parts if pieces of a producer cut it. Returns false if it cannot be cut into
  /// boxes, or into very many.
  [[nodiscard]] bool add(piece part) {
    if (pieces_.size() > most_pieces) return false;
    while (const inlined_operand* const next = first_inlined(part)) {
      const piece_list& producer = *next->producer;
      // A producer of no elements has no pieces.
      if (producer.size() != 1) return add_cut(part, *next);
      part = inlined(std::move(part), *next, producer.front());
    }
    pieces_.push_back(std::move(part));
    return true;
  }

  /// Returns the pieces without the inlined operands.
  [[nodiscard]] std::vector<piece> result() && {
    for (piece& part : pieces_) {
      for (std::size_t& number : part.operands) {
        const auto next = std::ranges::lower_bound(operands_, number, {}, &inlined_operand::number);
        number -= static_cast<std::size_t>(next - operands_.begin());
      }
    }
    return std::move(pieces_);
  }

 private:
  /// Returns the first inlined operand that `part` reads, or null.
  [[nodiscard]] const inlined_operand* first_inlined(const piece& part) const {
    std::size_t first = operands_.size();
    for (const std::size_t number : part.operands) {
      const auto match = positions_.find(number);
      if (match != positions_.end()) first = std::min(first, match->second);
    }
    return first < operands_.size() ? &operands_[first] : nullptr;
  }

  /// Adds `part` in the parts into which pieces of the producer cut it.
  [[nodiscard]] bool add_cut(const piece& part, const inlined_operand& operand) {
    if (operand.map->gather() != nullptr) return false;
    for (const piece& source : operand.producer->near(operand.map->image(part.box))) {
      const auto boxes = preimage(*operand.map, source.box, part.box, reduced_);
      if (!boxes) return false;
      for (const region& box : *boxes) {
        piece next = inlined(part, operand, source);
        next.box = box;
        if (!add(std::move(next))) return false;
      }
    }
    return true;
  }

  /// Returns `part` with `operand` computed by `source`, a piece of the producer.
  [[nodiscard]] piece inlined(piece part, const inlined_operand& operand, const piece& source) {
    while (true) {
      const auto match = std::ranges::find(part.operands, operand.number);
      if (match == part.operands.end()) return part;
      const auto position = static_cast<std::size_t>(match - part.operands.begin());
      part.program = programs_.inlined(part.program, position, source.program);
      part.operands.erase(match);
      for (const std::size_t number : source.operands) {
        part.operands.push_back(operand.first + number);
      }
    }
  }

  std::span<const inlined_operand> operands_;
  axis_set reduced_;
  /// By number: the position in `operands_`.
  std::unordered_map<std::size_t, std::size_t> positions_;
  program_cache programs_;
  std::vector<piece> pieces_;
};

}  // namespace

std::optional<piece_list> inline_producers(const piece_list& pieces,
                                           std::span<const inlined_operand> operands,
                                           axis_set reduced) {
  piece_inlining inlining(operands, reduced);
  for (const piece& part : pieces) {
    if (!inlining.add(part)) return std::nullopt;
  }
  piece_list result(std::move(inlining).result());
  if (!fold_evenly(result, reduced)) return std::nullopt;
  return result;
}

std::optional<piece_list> fuse_pieces(const piece_list& a, const piece_list& b,
                                      std::size_t num_operands) {
  std::vector<piece> fused;
  std::size_t num_pairs = 0;
  std::size_t num_results = 0;
  program_cache programs;
  for (const piece& part : a) {
    for (const piece& beside : b.near(part.box)) {
      if (++num_pairs > most_pieces) return std::nullopt;
      // Without elements, a list has one piece at most.
      const region box = a.size() == 1 ? beside.box : intersect(part.box, beside.box);
      if (a.size() > 1 && box.empty()) continue;
      piece& next = fused.emplace_back(
          piece{box, part.operands, programs.concatenated(part.program, beside.program)});
      for (const std::size_t operand : beside.operands) {
        next.operands.push_back(num_operands + operand);
      }
      num_results += next.program->results.size();
      if (fused.size() > 1 && num_results > most_pieces) return std::nullopt;
    }
  }
  return piece_list(std::move(fused));
}

std::vector<piece> crop_pieces(const piece_list& pieces, const region& box) {
  std::vector<piece> cropped;
  for (const piece& part : pieces.near(box)) {
    region overlap = intersect(part.box, box);
    if (overlap.empty()) continue;
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      overlap.start[axis] -= box.start[axis];
      overlap.stop[axis] -= box.start[axis];
    }
    cropped.push_back({std::move(overlap), part.operands, part.program});
  }
  return cropped;
}

std::vector<piece> remap_operands(const piece_list& pieces,
                                  const std::vector<std::size_t>& targets) {
  std::vector<piece> remapped;
  program_cache programs;
  for (const piece& part : pieces) remapped.push_back(remap_operands(part, targets, programs));
  return remapped;
}

std::size_t num_steps(const piece_list& pieces) {
  std::size_t most = 0;
  for (const piece& part : pieces) most = std::max(most, part.program->steps.size());
  return most;
}

double weight(const piece_list& pieces) {
  double most = 0;
  for (const piece& part : pieces) most = std::max(most, weight_of(part.program));
  return most;
}

double element_steps(const piece_list& pieces, double added_weight) {
  double steps = 0;
  for (const piece& part : pieces) {
    steps += static_cast<double>(part.box.num_elements()) *
             std::max(1.0, weight_of(part.program) + added_weight);
  }
  return steps;
}

std::size_t add_operand_steps(task_demand& needs, const piece_list& pieces, index_t num_elements) {
  std::size_t step = 0;
  const strip_program* measured = nullptr;
  for (const piece& part : pieces) {
    const std::size_t compute_step = step + part.operands.size();
    for (const std::size_t operand : part.operands) {
      operand_demand& needed = needs.operands[operand];
      if (!needed.is_used) needed = {.is_used = true, .used = {step, step}, .read = {step, step}};
      extend(needed.domain, part.box);
      needed.read.last = step++;
      needed.used.last = compute_step;
    }
    if (measured != part.program.get()) {
      needs.scratch = std::max(needs.scratch, scratch_bytes(part.program, num_elements));
      measured = part.program.get();
    }
    ++step;
  }
  return step;
}

std::vector<std::string> result_formulas(const piece& part, const std::vector<std::string>& words) {
  return formulas_of(part.program, select_words(words, part.operands));
}

assembly_words::assembly_words(const piece_list& pieces, const std::string& operation,
                               const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  const strip_program* described = nullptr;
  std::vector<std::string> described_words;
  for (const piece& part : pieces) {
    std::vector<std::string> words = select_words(names, part.operands);
    const bool is_known = described == part.program.get() && described_words == words;
    parts.push_back(is_known ? parts.back() : describe(part.program, words));
    described = part.program.get();
    described_words = std::move(words);
  }
  const bool is_function = operation.find_first_of(" (") == std::string::npos;
  list = listed(parts, is_function ? ", " : "; ");
  if (is_function) function = operation;
}

std::string assembly_words::formula(const std::optional<std::string>& function_name) const {
  return function_name ? fmt::format("{}({})", *function_name, list) : list;
}

bool are_equal(const piece_list& a, const piece_list& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const piece& p, const piece& q) {
    return p.box == q.box && p.operands == q.operands && p.program == q.program;
  });
}

namespace detail {

using nlohmann::json;

json pieces_json(const piece_list& pieces) {
  json list = json::array();
  const piece* before = nullptr;
  for (const piece& part : pieces) {
    json& row = list.emplace_back(json{{"start", fields::of(part.box.start)},
                                       {"stop", fields::of(part.box.stop)},
                                       {"operands", part.operands}});
    // Without a program, a piece has that of the piece before it.
    const bool is_shared = before != nullptr && before->program == part.program;
    if (!is_shared) row["program"] = program_json(part.program);
    before = &part;
  }
  return list;
}

piece_list parse_pieces(const json& value) {
  std::vector<piece> pieces;
  for (const json& part : fields::list(value)) {
    const bool is_shared = !pieces.empty() && !part.contains("program");
    pieces.push_back(
        {{fields::indices(part.at("start")), fields::indices(part.at("stop"))},
         fields::counts(part.at("operands")),
         is_shared ? pieces.back().program : shared_program(parse_program(part.at("program")))});
  }
  return {std::move(pieces)};
}

}  // namespace detail

}  // namespace tessera
