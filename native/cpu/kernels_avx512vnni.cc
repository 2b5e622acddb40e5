// Kernels for AVX-512 with VNNI: int8 products in one instruction.
#include "cpu/kernels.h"

#if defined(__AVX512VNNI__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_avx512.inc"

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* avx512vnniKernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* avx512vnniKernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
