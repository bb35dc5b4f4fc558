// SPDX-License-Identifier: Apache-2.0
/// \file
/// Completion of commands, options and choices in shells.
#include "tool/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

namespace {

std::vector<std::string> names_of_commands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  return names;
}

/// Returns the names of options that are no positionals.
std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const option_text& option : options_of(command)) {
    if (!option.is_positional) names.push_back(option.name);
  }
  return names;
}

/// Returns text with a backslash before each of `special`.
std::string escaped(std::string_view text, std::string_view special) {
  std::string escaped_text;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) escaped_text += '\\';
    escaped_text += c;
  }
  return escaped_text;
}

/// Returns the text in single quotes of a POSIX shell.
std::string quoted_for_shell(std::string_view text) {
  std::string quoted_text = "'";
  for (const char c : text) quoted_text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted_text + "'";
}

/// Returns the cases of bash for the values of a command's options.
std::string bash_values(const CLI::App& command) {
  std::string cases;
  for (const option_text& option : options_of(command)) {
    if (option.is_positional || option.is_flag) continue;
    const std::string reply = option.choices.empty() ? "compgen -f -- \"$word\""
                                                     : fmt::format("compgen -W \"{}\" -- \"$word\"",
                                                                   fmt::join(option.choices, " "));
    cases += fmt::format("    \"{} {}\") mapfile -t COMPREPLY < <({}); return ;;\n",
                         command.get_name(), option.name, reply);
  }
  return cases;
}

/// Returns the arguments of zsh's _arguments for a command's options.
std::string zsh_arguments(const CLI::App& command) {
  std::string arguments;
  for (const option_text& option : options_of(command)) {
    const std::string text = escaped(option.description, "[]:\\");
    const std::string values =
        option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
    std::string argument;
    if (option.is_positional) {
      argument = fmt::format("{}:{}:{}", option.is_list ? "*" : "", option.name, values);
    } else {
      argument = fmt::format("{}{}[{}]{}", option.is_list ? "*" : "", option.name, text,
                             option.is_flag ? "" : fmt::format(":value:{}", values));
    }
    arguments += fmt::format(" \\\n        {}", quoted_for_shell(argument));
  }
  return arguments;
}

std::string fish_lines(const CLI::App& program, const CLI::App& command) {
  std::string lines;
  for (const option_text& option : options_of(command)) {
    if (option.is_positional) continue;
    const std::string value = option.is_flag ? ""
                              : option.choices.empty()
                                  ? " -r -F"
                                  : fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
    lines += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                         program.get_name(), command.get_name(), option.name.substr(2), value,
                         escaped(option.description, "\\'"));
  }
  return lines;
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string values;
  std::string words;
  for (const CLI::App* command : commands_of(program)) {
    values += bash_values(*command);
    words += fmt::format("    {}) words=\"{}\" ;;\n", command->get_name(),
                         fmt::join(names_of_options(*command), " "));
  }
  const std::vector<std::string> names = names_of_commands(program);
  return fmt::format(
      R"(# bash completion for {0}
_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {1}) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  case "$command $before" in
{2}  esac
  case $command in
    "") words="{3} {4}" ;;
{5}  esac
  if [[ $word == -* || -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _{0} {0}
)",
      program.get_name(), fmt::join(names, "|"), values, fmt::join(names, " "),
      fmt::join(names_of_options(program), " "), words);
}

std::string zsh_completion(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    commands += fmt::format(
        "    {}\n", quoted_for_shell(fmt::format("{}:{}", command->get_name(),
                                                 first_sentence(command->get_description()))));
    cases += fmt::format("    {})\n      _arguments{}\n      ;;\n", command->get_name(),
                         zsh_arguments(*command));
  }
  return fmt::format(
      R"(#compdef {0}
_{0}() {{
  local -a commands=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _arguments{2}
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{3}  esac
}}
_{0} "$@"
)",
      program.get_name(), commands, zsh_arguments(program), cases);
}

std::string fish_completion(const CLI::App& program) {
  std::string lines;
  for (const std::string& name : names_of_options(program)) {
    lines += fmt::format("complete -c {} -n __fish_use_subcommand -l {}\n", program.get_name(),
                         name.substr(2));
  }
  for (const CLI::App* command : commands_of(program)) {
    lines += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d '{}'\n",
                         program.get_name(), command->get_name(),
                         escaped(first_sentence(command->get_description()), "\\'"));
    lines += fish_lines(program, *command);
  }
  return lines;
}

}  // namespace tessera::tool
