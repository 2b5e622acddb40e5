// Products, and attention over bf16, on AMX tiles; everything else is what AVX-512 with VNNI and BF16 does.
#include "cpu/kernels.h"

#if defined(__AVX512VNNI__) && defined(__AVX512BF16__)
#include <immintrin.h>

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_avx512.inc"

#include "cpu/kernels_table.inc"
#include "cpu/kernels_tile.inc"
#include "cpu/kernels_attention_tile.inc"

/// The processor's tile unit. As assembly, because the compilers' intrinsics take tile numbers as literals only. What it reads and
/// changes is named as an array without end: with "memory" the compiler would load every pointer again after each instruction.
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
    __asm__ __volatile__("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile), "m"(bytesFrom(from)));
  }
  template <int Tile>
  static void loadOnce(const void* from, std::int64_t stride) {
    __asm__ __volatile__("tileloaddt1 (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile), "m"(bytesFrom(from)));
  }
  template <int Tile>
  static void store(void* to, std::int64_t stride) {
    __asm__ __volatile__("tilestored %%tmm%c3, (%1,%2,1)" : "+m"(bytesFrom(to)) : "r"(to), "r"(stride), "i"(Tile));
  }
  template <int Sum, int Rows, int Weights>
  static void multiplyInt8() {
    __asm__ __volatile__("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Rows), "i"(Weights));
  }
  template <int Sum, int Rows, int Weights>
  static void multiplyBf16() {
    __asm__ __volatile__("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sum), "i"(Rows), "i"(Weights));
  }

 private:
  using Bytes = std::uint8_t[];
  static const Bytes& bytesFrom(const void* from) { return *static_cast<const Bytes*>(from); }
  static Bytes& bytesFrom(void* to) { return *static_cast<Bytes*>(to); }
};

/// Below this many rows the vector unit reads the weights as fast as memory gives them; sums of int8 are exact either way.
constexpr std::int32_t fewestRows = 5;

void productInt8(const ProductTask& task) {
  if (task.rows < fewestRows) {
    product<Int8Dot>(task);
  } else {
    tileProduct<ProcessorTiles, Int8Tile>(task);
  }
}

/// The vectors' table with tiles where they multiply. Tiles for any number of rows of bf16: vectors would sum in another order.
constexpr KernelTable processorTable() {
  KernelTable tiles = withTiles<ProcessorTiles>(table);
  tiles.gatedRows = fewestRows;
  tiles.productInt8 = productInt8;
  return tiles;
}

constexpr KernelTable tileTable = processorTable();

}  // namespace

const KernelTable* amxKernels() { return &tileTable; }

}  // namespace foretrace::cpu

#else

namespace foretrace::cpu {
const KernelTable* amxKernels() { return nullptr; }
}  // namespace foretrace::cpu

#endif
