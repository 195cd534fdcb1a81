// SPDX-License-Identifier: Apache-2.0
//
// What all models share. Mirrored by src/models/runtime.rs: change both.
#pragma once
#include <cstdint>

extern "C" {

/// Simulation contexts and trace files.
struct RopewalkRuntime {
    void* (*context_new)();
    void (*context_delete)(void* context);
    /// Opens an FST file that holds every instance of the context made so far; null when it cannot be written.
    void* (*trace_open)(void* context, const char* path);
    /// Writes what changed, at a time in femtoseconds that must not go back.
    void (*trace_dump)(void* trace, uint64_t time);
    void (*trace_close)(void* trace);
};
extern const RopewalkRuntime ropewalk_runtime;

/// One compiled model: its functions. The only symbol that its library exports.
struct RopewalkModel {
    const RopewalkRuntime* runtime;
    /// Makes an instance inside a context and tells where its ports are: a struct of the model's shim.
    void* (*create)(void* context, const char* name, void* ports);
    void (*destroy)(void* instance);
    /// Evaluates everything: after any change of inputs.
    void (*eval)(void* instance);
    /// Evaluates after clocks rose. `settle` says that other inputs than received words changed since the last call.
    void (*edge)(void* instance, bool settle);
    /// Takes note that the clocks are low again. Nothing in the RTL acts on a falling edge.
    void (*fall)(void* instance);
};
}
