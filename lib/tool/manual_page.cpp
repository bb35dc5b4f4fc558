// SPDX-License-Identifier: Apache-2.0
/// \file
/// Manual pages in roff, with the macros of man(7).
#include "tool/manual.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace tessera::tool {

namespace {

/// Returns text that roff prints as it is.
std::string escaped(const std::string& text) {
  std::string roff;
  for (const char c : text) {
    if (roff.empty() && (c == '.' || c == '\'')) roff += "\\&";
    if (c == '\\') {
      roff += "\\e";
    } else if (c == '-') {
      roff += "\\-";
    } else if (c == '\'') {
      roff += "\\(aq";
    } else {
      roff += c;
    }
  }
  return roff;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string synopsis_of(const std::vector<option_text>& options) {
  std::string words = "[\\fIOPTION\\fR]...";
  for (const option_text& option : options) {
    if (!option.is_positional) continue;
    const std::string name = fmt::format("\\fI{}\\fR{}", option.name, option.is_list ? "..." : "");
    words += option.is_required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  return words;
}

std::string item_of(const option_text& option) {
  const std::string value = option.is_flag || option.is_positional ? "" : " \\fIVALUE\\fR";
  const std::string choices =
      option.choices.empty()
          ? ""
          : fmt::format(" ({})", escaped(fmt::format("{}", fmt::join(option.choices, ", "))));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}{}\n", escaped(option.name), value,
                     escaped(option.description), choices);
}

/// Returns the sections of a footer: a line that ends in ":" is a heading, the lines behind are
/// shown as they are.
std::string sections_of(const std::string& footer) {
  std::istringstream lines(footer);
  std::string roff;
  bool is_open = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const bool is_heading = line.front() != ' ' && line.back() == ':';
    if (is_heading) {
      if (is_open) roff += ".fi\n";
      line.pop_back();
      roff += fmt::format(".SH {}\n.nf\n", upper_case(escaped(line)));
      is_open = true;
    } else {
      roff += fmt::format("{}\n", escaped(line));
    }
  }
  return is_open ? fmt::format("{}.fi\n", roff) : roff;
}

std::string list_of_commands(const CLI::App& program) {
  std::string roff = ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(program)) {
    roff += fmt::format(".TP\n\\fB{}\\fR\n{}\n", command->get_name(),
                        escaped(command->get_description()));
  }
  return roff;
}

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& command) {
  const bool is_program = &program == &command;
  const std::string name = is_program
                               ? program.get_name()
                               : fmt::format("{}-{}", program.get_name(), command.get_name());
  const std::vector<option_text> options = options_of(command);
  std::string page = fmt::format(
      ".TH {} 1 \"\" \"{}\" \"User commands\"\n.nh\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n{}\n"
      ".SH DESCRIPTION\n{}\n",
      upper_case(escaped(name)), program.version(), escaped(name),
      escaped(first_sentence(command.get_description())),
      is_program ? program.get_name()
                 : fmt::format("{} {}", program.get_name(), command.get_name()),
      is_program ? "\\fICOMMAND\\fR [\\fIOPTION\\fR]..." : synopsis_of(options),
      escaped(command.get_description()));
  if (is_program) page += list_of_commands(program);
  page += ".SH OPTIONS\n";
  for (const option_text& option : options) page += item_of(option);
  page += sections_of(command.get_footer());
  if (!is_program) return fmt::format("{}.SH SEE ALSO\n.BR {} (1)\n", page, program.get_name());
  return page;
}

}  // namespace tessera::tool
