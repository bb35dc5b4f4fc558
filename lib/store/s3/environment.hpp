// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The configuration of AWS in the environment and in files.

#include <map>
#include <string>
#include <string_view>

namespace tessera::s3 {

/// Returns the value of an environment variable, "" if it is not set.
[[nodiscard]] std::string environment(const char* name);

/// Returns the text of a file without blanks at its ends. Throws: store_error <- `denied`: it
/// cannot be read, or has more than 1 MiB. Messages call the file `purpose`.
[[nodiscard]] std::string read_file(const std::string& path, std::string_view purpose);

/// The settings of a profile: names in lower case, and values.
using profile_settings = std::map<std::string, std::string, std::less<>>;

/// Returns the settings of the sections [name] of a text in the format of AWS's files.
///
///     [name]             ; a section, "[profile name]" in the file `config`
///     region = eu-west-1 # a setting
///       nested = 1       # ignored: the line begins with a blank
[[nodiscard]] profile_settings parse_profile(std::string_view text, std::string_view section);

/// Returns the settings of a profile in the two files: the file `credentials` wins. An empty name
/// stands for AWS_PROFILE, else for "default".
///
/// Throws: store_error <- `denied`: a profile that is named is in none of the files.
[[nodiscard]] profile_settings read_profile(const std::string& name);

}  // namespace tessera::s3
