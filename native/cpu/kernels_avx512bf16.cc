// Kernels for AVX-512 with VNNI, BF16 and VBMI: int8 and bf16 products in one instruction, powers looked up in a table.
#include "cpu/kernels.h"

#if defined(__AVX512VNNI__) && defined(__AVX512BF16__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_avx512.inc"

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* avx512bf16Kernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* avx512bf16Kernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
