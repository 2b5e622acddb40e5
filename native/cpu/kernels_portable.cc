// Kernels without any instruction set beyond the target's baseline.
#include "cpu/kernels.h"

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_portable.inc"

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* portableKernels() { return &table; }

}  // namespace foretrace::cpu
