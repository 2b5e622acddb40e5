// Products on AMX tiles; everything else is what AVX-512 with VNNI and BF16 does.
#include "cpu/kernels.h"

#if defined(__AVX512F__)

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_tile.inc"

/// The processor's tile unit. As assembly, because the compilers' intrinsics take tile numbers as literals only.
struct ProcessorTiles {
  static void configure(const TileConfiguration* configuration) {
    __asm__ __volatile__("ldtilecfg %0" : : "m"(*configuration));
  }
  static void release() { __asm__ __volatile__("tilerelease"); }
  template <int Tile>
  static void zero() {
    __asm__ __volatile__("tilezero %%tmm%c0" : : "i"(Tile));
  }
  template <int Tile>
  static void load(const void* from, std::int64_t stride) {
    __asm__ __volatile__("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Tile>
  static void store(void* to, std::int64_t stride) {
    __asm__ __volatile__("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Sum, int Rows, int Weights>
  static void multiplyInt8() {
    __asm__ __volatile__("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Rows), "i"(Weights));
  }
  template <int Sum, int Rows, int Weights>
  static void multiplyBf16() {
    __asm__ __volatile__("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Rows), "i"(Weights));
  }
};

/// Below this many rows the vector unit reads the weights as fast as memory gives them; sums of int8 are exact either way.
constexpr std::int32_t fewestRows = 5;

void productInt8(const ProductTask& task) {
  if (task.rows < fewestRows) {
    avx512bf16Kernels()->productInt8(task);
  } else {
    tileProduct<ProcessorTiles, Int8Tile>(task);
  }
}

/// Tiles for any number of rows: the vector unit would sum in another order.
void productBf16(const ProductTask& task) { tileProduct<ProcessorTiles, Bf16Tile>(task); }

/// The kernels that know no tiles.
const KernelTable& vectors() { return *avx512bf16Kernels(); }

constexpr KernelTable table = {
    .gemm = [](const GemmTask& task) { vectors().gemm(task); },
    .rmsNorm = [](const float* x, const float* weight, float epsilon, std::int32_t length,
                  float* out) { vectors().rmsNorm(x, weight, epsilon, length, out); },
    .rope = [](float* head, const float* cosine, const float* sine,
               std::int32_t half) { vectors().rope(head, cosine, sine, half); },
    .siluMultiply = [](const float* gate, const float* up, float* out,
                       std::int64_t padded) { vectors().siluMultiply(gate, up, out, padded); },
    .siluPanels = [](const float* gateUp, std::int32_t pairs, float* out) { vectors().siluPanels(gateUp, pairs, out); },
    .attention = [](const AttentionTask& task) { vectors().attention(task); },
    .attentionBf16 = [](const AttentionTask& task) { vectors().attentionBf16(task); },
    .exponential = [](const float* x, float* out, std::int64_t padded) { vectors().exponential(x, out, padded); },
    .roundInt8 = [](const float* x, std::int64_t padded, std::uint8_t* out,
                    float* scale) { vectors().roundInt8(x, padded, out, scale); },
    .roundBf16 = [](const float* x, std::int64_t padded, std::uint8_t* out) { vectors().roundBf16(x, padded, out); },
    .storeKeys = [](const KvRows& rows) { vectors().storeKeys(rows); },
    .storeValues = [](const KvRows& rows) { vectors().storeValues(rows); },
    .productInt8 = productInt8,
    .productBf16 = productBf16,
};

}  // namespace

const KernelTable* amxKernels() { return &table; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* amxKernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
