// Kernels without any instruction set beyond the target's baseline: vectors of four floats in the compiler's notation.
#include "cpu/kernels.h"

namespace foretrace::cpu {
namespace {

struct Simd {
  typedef float Vector __attribute__((vector_size(16)));
  typedef std::int32_t Integers __attribute__((vector_size(16)));
  typedef float Unaligned __attribute__((vector_size(16), aligned(4), may_alias));

  static constexpr int width = 4;
  static constexpr int maxRows = 2;  ///< rows of the largest GEMM tile
  /// Panels of a GEMM tile with this many rows: as many accumulators as 16 registers hold.
  static constexpr int panelsFor(int rows) { return rows == 1 ? 2 : 1; }
  static constexpr int chainedRows = 1;  ///< most rows whose int8 sums take turns over the depth
  static constexpr int tallestTile = 2;  ///< most rows of a product that one tile takes
  static constexpr int twoTiles = 2;     ///< most rows that two equal tiles take
  static constexpr int tileRows = 2;     ///< of the tiles of a product with more rows
  static constexpr int panelsOfTile(int) { return 1; }
  static constexpr bool roundsToHalves = false;  ///< whether there is an instruction for it: storeHalves

  static Vector zero() { return Vector{}; }
  static Vector broadcast(float value) { return Vector{value, value, value, value}; }
  static Vector load(const float* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static Integers loadIntegers(const std::uint8_t* from) {
    Integers value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply(Vector a, Vector b) { return a * b; }
  static Vector divide(Vector a, Vector b) { return a / b; }
  /// a * b + c, rounded twice: a library fma would be slower than all the rest together.
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return a * b + c; }
  static Vector minimum(Vector a, Vector b) { return select(a < b, a, b); }
  static Vector maximum(Vector a, Vector b) { return select(a > b, a, b); }
  /// Nearest integer, for |a| < 2^22: adding and subtracting 1.5 * 2^23 rounds in the default mode.
  static Vector round(Vector a) { return (a + broadcast(12582912.0F)) - broadcast(12582912.0F); }
  /// a * 2^n where x >= bound and a * 2^n is normal, else 0.
  static Vector scaledOrZero(Vector a, Vector n, Vector x, Vector bound) {
    const Integers counts = x >= bound;
    const Integers exponent = __builtin_convertvector(select(counts, n, zero()), Integers) + 127;
    return select(counts, a * reinterpret_cast<Vector>(exponent << 23), zero());
  }
  static constexpr bool transposes = false;    ///< whether rows are turned into columns in registers: transpose
  static constexpr bool splitsPowers = false;  ///< whether there are instructions for it: aboveFloor and scaledByFloor
  static constexpr bool reducesEight = false;  ///< whether eight at a time are faster than one by one: largestOfEight
  static float sum(Vector a) { return (a[0] + a[2]) + (a[1] + a[3]); }
  static float largest(Vector a) {
    const float low = a[0] > a[1] ? a[0] : a[1];
    const float high = a[2] > a[3] ? a[2] : a[3];
    return low > high ? low : high;
  }

 private:
  static Vector select(Integers mask, Vector yes, Vector no) {
    return reinterpret_cast<Vector>((mask & reinterpret_cast<Integers>(yes)) | (~mask & reinterpret_cast<Integers>(no)));
  }
};

#include "cpu/kernels_elementwise.inc"
#include "cpu/kernels_gemm.inc"
#include "cpu/kernels_product.inc"

/// Four int8 of depth by four columns: the bytes of a lane are shifted out one after the other.
struct Int8Dot {
  using Sum = Simd::Integers;
  using Weights = Simd::Integers;
  struct Activations {
    std::int32_t value[4];
  };
  static constexpr bool unsignedActivations = false;
  static constexpr bool anyOrder = true;

  static Sum zero() { return Sum{}; }
  static Sum add(Sum a, Sum b) { return a + b; }
  static Weights weights(const std::uint8_t* from) { return Simd::loadIntegers(from); }
  static Activations activations(std::int32_t bytes) {
    return {{static_cast<std::int8_t>(bytes), static_cast<std::int8_t>(bytes >> 8), static_cast<std::int8_t>(bytes >> 16),
             bytes >> 24}};
  }
  static Sum accumulate(Sum sum, const Activations& a, Weights w) {
    return sum + ((w << 24) >> 24) * a.value[0] + ((w << 16) >> 24) * a.value[1] + ((w << 8) >> 24) * a.value[2] +
           (w >> 24) * a.value[3];
  }
  static Simd::Vector finish(Sum sum, const ProductTask& task, std::int64_t row, std::int64_t column) {
    return scaled(__builtin_convertvector(sum, Simd::Vector), task, row, column);
  }
};

/// Two bf16 of depth by four columns, widened exactly; the even element is added first.
struct Bf16Dot {
  using Sum = Simd::Vector;
  using Weights = Simd::Integers;
  using Activations = Simd::Integers;
  static constexpr bool anyOrder = false;

  static Sum zero() { return Simd::zero(); }
  static Weights weights(const std::uint8_t* from) { return Simd::loadIntegers(from); }
  static Weights firstOfPairs(const std::uint8_t* from) { return weights(from) & 0xFFFF; }
  static Activations activations(std::int32_t bytes) { return Activations{bytes, bytes, bytes, bytes}; }
  static Simd::Vector even(Simd::Integers pair) { return reinterpret_cast<Simd::Vector>(pair << 16); }
  static Simd::Vector odd(Simd::Integers pair) { return reinterpret_cast<Simd::Vector>(pair & -65536); }
  static Sum accumulate(Sum sum, Activations a, Weights w) {
    return Simd::multiplyAdd(odd(a), odd(w), Simd::multiplyAdd(even(a), even(w), sum));
  }
  static Simd::Vector finish(Sum sum, const ProductTask&, std::int64_t, std::int64_t) { return sum; }
};

#include "cpu/kernels_table.inc"

}  // namespace

const KernelTable* portableKernels() { return &table; }

}  // namespace foretrace::cpu
