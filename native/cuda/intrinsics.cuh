// The few hardware operations the kernels are made of. A host compiler, which sees kernels in tests only, gets the
// emulation of the same names.
#pragma once

#include <cstdint>

#include "cuda/portable.h"

namespace foretrace::cuda {

/// Four 32-bit words, loaded and stored as one.
struct alignas(16) Words4 {
  std::uint32_t x, y, z, w;
};

/// Two of them.
struct alignas(8) Words2 {
  std::uint32_t x, y;
};

}  // namespace foretrace::cuda

#ifndef __CUDACC__
#include "cuda_emulator.h"
#else

namespace foretrace::cuda {

/// sum += A * B for bf16 operands and an fp32 accumulator, 16 x 8 x 16 (fragment.h tells who holds what).
__device__ __forceinline__ void mma(float (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
                                    std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// The same for int8 operands and an int32 accumulator, 16 x 8 x 32.
__device__ __forceinline__ void mma(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
                                    std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

/// The same for fp8 (e4m3) operands and an fp32 accumulator, 16 x 8 x 32. GPUs before compute capability 8.9 have no such
/// instruction; the host never launches what would need it there.
__device__ __forceinline__ void mmaFloat8(float (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
                                          std::uint32_t b0, std::uint32_t b1) {
#if __CUDA_ARCH__ >= 890
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
  __trap();
#endif
}

/// Four 8 x 8 matrices of two-byte elements (or 8 x 16 bytes) from shared memory: lane l names row l % 8 of matrix l / 8, and
/// gets of matrix i the word (l % 4) of row l / 4.
__device__ __forceinline__ void loadMatrices(std::uint32_t (&words)[4], const void* row) {
  const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from)
               : "memory");
}

/// Waits until the kernels queued before this one have ended and what they wrote can be read. What comes before it may run
/// while they still do, and must touch nothing they write or read and nobody has written since: weights are such.
__device__ __forceinline__ void waitForEarlierKernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start on multiprocessors with room for it, as soon as all blocks of this one have come here.
__device__ __forceinline__ void allowNextKernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// Starts copying 16 bytes to shared memory; both addresses are multiples of 16. Only the first `bytes` (0 .. 16) are
/// read, the rest becomes zero.
__device__ __forceinline__ void copyAsync16(void* shared, const void* global, int bytes) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
}

/// Closes the group of copies this thread has started since the last call.
__device__ __forceinline__ void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until all but the last `pending` groups of this thread have arrived.
template <int pending>
__device__ __forceinline__ void waitCopies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

__device__ __forceinline__ void syncThreads() { __syncthreads(); }
__device__ __forceinline__ void syncWarp() { __syncwarp(); }

/// The value of lane (own lane ^ mask); all lanes of the warp take part.
__device__ __forceinline__ float shuffleXor(float value, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, value, mask); }
__device__ __forceinline__ std::uint32_t shuffleXor(std::uint32_t value, int mask) { return __shfl_xor_sync(0xFFFFFFFFU, value, mask); }

/// Two bf16 in one word, the first in the low half; nearest, ties to even.
__device__ __forceinline__ std::uint32_t packBf16(float first, float second) {
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
  return word;
}

/// Products and sums the compiler may neither fuse nor split, so that every kernel that uses them gives the same bits.
__device__ __forceinline__ float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ __forceinline__ float multiplyAdd(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ float add(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ float divide(float a, float b) { return __fdiv_rn(a, b); }
/// 2^value to about 2 units in the last place; results below the normal numbers are zero.
__device__ __forceinline__ float exponential2(float value) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
}
__device__ __forceinline__ float exponential(float value) { return expf(value); }
__device__ __forceinline__ float toFloat(std::int32_t value) { return __int2float_rn(value); }
__device__ __forceinline__ std::uint32_t bitsOf(float value) { return __float_as_uint(value); }
__device__ __forceinline__ float floatOf(std::uint32_t bits) { return __uint_as_float(bits); }
__device__ __forceinline__ float reciprocalRoot(float value) { return __fdiv_rn(1.0F, __fsqrt_rn(value)); }
__device__ __forceinline__ float maximum(float a, float b) { return fmaxf(a, b); }
__device__ __forceinline__ float infinity() { return __int_as_float(0x7F800000); }

/// The block's shared memory, as large as the launch asked for.
__device__ __forceinline__ char* sharedMemory() {
  extern __shared__ Words4 dynamicSharedMemory[];
  return reinterpret_cast<char*>(dynamicSharedMemory);
}

}  // namespace foretrace::cuda
#endif

namespace foretrace::cuda {

#ifdef __CUDACC__
#define FORETRACE_DEVICE __device__ __forceinline__
#else
#define FORETRACE_DEVICE inline
#endif

/// One bf16, nearest, ties to even.
FORETRACE_DEVICE std::uint16_t toBf16(float value) { return static_cast<std::uint16_t>(packBf16(value, 0.0F)); }

/// The fp32 value of the bf16 in the low half of a word.
FORETRACE_DEVICE float fromBf16(std::uint32_t bits) { return floatOf(bits << 16); }

}  // namespace foretrace::cuda
