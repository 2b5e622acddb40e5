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

  static Vector zero() { return Vector{}; }
  static Vector broadcast(float value) { return Vector{value, value, value, value}; }
  static Vector load(const float* from) { return *reinterpret_cast<const Unaligned*>(from); }
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
  /// a * 2^n for an integral n with a * 2^n normal.
  static Vector scaleByPowerOfTwo(Vector a, Vector n) {
    return a * reinterpret_cast<Vector>((__builtin_convertvector(n, Integers) + 127) << 23);
  }
  /// value where a >= bound, else 0.
  static Vector zeroBelow(Vector a, Vector bound, Vector value) { return select(a >= bound, value, zero()); }
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
#include "cpu/kernels_attention.inc"

constexpr KernelTable table = {gemm, rmsNorm, rope, siluMultiply, attention, exponential};

}  // namespace

const KernelTable* portableKernels() { return &table; }

}  // namespace foretrace::cpu
