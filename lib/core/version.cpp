// SPDX-License-Identifier: Apache-2.0
#include "tessera/version.hpp"

const int TESSERA_ABI = TESSERA_VERSION;
