// SPDX-License-Identifier: Apache-2.0
// What cocotb's main program includes in place of the header of one design.
#pragma once

#include "tb_model.h"

using Vtop = TbModel;
