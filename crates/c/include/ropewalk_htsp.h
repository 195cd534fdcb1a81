/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that exist: all of Ropewalk stands in one header. */
#ifndef ROPEWALK_HTSP_H
#define ROPEWALK_HTSP_H

#include "ropewalk.h"

#endif
