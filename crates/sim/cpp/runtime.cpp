// SPDX-License-Identifier: Apache-2.0
//
// What all models share: simulation contexts and the trace file.

#include "runtime.h"

#include <cstdlib>
#include <cstring>

#include "verilated.h"
#include "verilated_fst_c.h"

namespace {

void* context_new() {
    auto* const context = new VerilatedContext;
    context->threads(1);
    // Synchronisers that take one clock more at random (prim_sync_flop), as in the test benches.
    const char* const chosen = std::getenv("SYNC_JITTER");
    const char* arguments[] = {"ropewalk", "+sync_jitter"};
    context->commandArgs(chosen && !std::strcmp(chosen, "1") ? 2 : 1, arguments);
    context->timeunit(-15);
    context->timeprecision(-15);
    // Must be set before a model is made; costs nothing in models without trace code.
    context->traceEverOn(true);
    return context;
}

void context_delete(void* context) { delete static_cast<VerilatedContext*>(context); }

void* trace_open(void* context, const char* path) {
    auto* const trace = new VerilatedFstC;
    static_cast<VerilatedContext*>(context)->trace(trace, 99);
    trace->set_time_unit("1fs");
    trace->set_time_resolution("1fs");
    trace->open(path);
    if (trace->isOpen()) return trace;
    delete trace;
    return nullptr;
}

void trace_dump(void* trace, uint64_t time) { static_cast<VerilatedFstC*>(trace)->dump(time); }

void trace_close(void* trace) {
    auto* const file = static_cast<VerilatedFstC*>(trace);
    file->close();
    delete file;
}

}  // namespace

const RopewalkRuntime ropewalk_runtime{context_new, context_delete, trace_open, trace_dump, trace_close};
