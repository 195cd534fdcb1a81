// SPDX-License-Identifier: Apache-2.0
//
// What all models share: simulation contexts and the trace file.

#include "rifl_shim.h"
#include "verilated.h"
#include "verilated_fst_c.h"

extern "C" {

void* ropewalk_context_new() {
    auto* const context = new VerilatedContext;
    context->threads(1);
    context->timeunit(-15);
    context->timeprecision(-15);
    // Must be set before a model is made; costs nothing in models without trace code.
    context->traceEverOn(true);
    return context;
}

void ropewalk_context_delete(void* context) { delete static_cast<VerilatedContext*>(context); }

void* ropewalk_trace_open(void* context, const char* path) {
    auto* const trace = new VerilatedFstC;
    static_cast<VerilatedContext*>(context)->trace(trace, 99);
    trace->set_time_unit("1fs");
    trace->set_time_resolution("1fs");
    trace->open(path);
    if (trace->isOpen()) return trace;
    delete trace;
    return nullptr;
}

void ropewalk_trace_dump(void* trace, uint64_t time) { static_cast<VerilatedFstC*>(trace)->dump(time); }

void ropewalk_trace_close(void* trace) {
    auto* const file = static_cast<VerilatedFstC*>(trace);
    file->close();
    delete file;
}
}
