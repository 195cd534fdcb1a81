/* SPDX-License-Identifier: Apache-2.0 */
/* For programs that exist: all of Ropewalk stands in one header. */
#ifndef ROPEWALK_RDMA_H
#define ROPEWALK_RDMA_H

#include "ropewalk.h"

#endif
