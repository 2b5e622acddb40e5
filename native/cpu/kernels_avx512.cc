// Kernels for AVX-512F and BW: vectors of sixteen floats, thirty-two registers.
#include "cpu/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_avx512.inc"

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* avx512Kernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* avx512Kernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
