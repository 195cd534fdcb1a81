// SPDX-License-Identifier: Apache-2.0
// A verilated model as the main program of cocotb uses it, whatever its ports: a program compiled
// against this is compiled once for all designs (build.py).
#pragma once

#include <cstdint>

class TbModel {
  public:
    explicit TbModel(const char* name);
    ~TbModel();
    TbModel(const TbModel&) = delete;
    TbModel& operator=(const TbModel&) = delete;

    void eval_step();
    void eval_end_step();
    bool eventsPending();
    uint64_t nextTimeSlot();
    void final();

  private:
    void* const model_;
};
