// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sources of the page of a run. CMake puts them into the library.

#include <string_view>

namespace tessera {

/// timeline.html, with @TITLE@, @STYLE@, @RECORD@, @COLUMNS@ and @SCRIPT@ for its parts.
extern const std::string_view timeline_html;
extern const std::string_view timeline_css;
extern const std::string_view timeline_js;

}  // namespace tessera
