// Matrix products of a warpgroup on compute capability 9.0 (sm_90a). Other targets have none; a host compiler gets the
// emulation of the same names.
#pragma once

#include "cuda/bulk_copy.cuh"
#include "cuda/gemm_format.cuh"

namespace foretrace::cuda {

/// The descriptor of an operand of wgmma in shared memory (PTX ISA, "Matrix Descriptor Format"): both operands lie with their
/// depth innermost, as core matrices of 8 rows x 16 bytes without a swizzle. Bits 0-13 the address, 16-29 the distance between
/// core matrices along the depth ("leading dimension byte offset"), 32-45 along the rows ("stride dimension byte offset"), all in
/// units of 16 bytes; 62-63 zero, no swizzle.
[[nodiscard]] FORETRACE_HD constexpr std::uint64_t matrixDescriptor(std::uint32_t sharedAddress) {
  const auto field = [](std::uint32_t bytes) { return static_cast<std::uint64_t>((bytes & 0x3FFFFU) >> 4); };
  return field(sharedAddress) | field(coreBytes) << 16 | field(groupBytes) << 32;
}

/// matrixDescriptor(address + bytes) from matrixDescriptor(address), `bytes` a multiple of 16.
[[nodiscard]] FORETRACE_HD constexpr std::uint64_t advanced(std::uint64_t descriptor, int bytes) {
  return descriptor + static_cast<std::uint64_t>(bytes / 16);
}

}  // namespace foretrace::cuda

#if defined(__CUDACC__) && defined(FORETRACE_WARPGROUPS)
namespace foretrace::cuda {

/// Before the first product, and before one that continues with accumulators the thread has touched.
__device__ __forceinline__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes the group of products this warp has started since the last call.
__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until all but the last `pending` groups have ended.
template <int pending>
__device__ __forceinline__ void waitProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

#define FORETRACE_REGISTERS_4 "%0, %1, %2, %3"
#define FORETRACE_REGISTERS_8 FORETRACE_REGISTERS_4 \
  ", %4, %5, %6, %7"
#define FORETRACE_REGISTERS_16 FORETRACE_REGISTERS_8 \
  ", %8, %9, %10, %11, %12, %13, %14, %15"
#define FORETRACE_REGISTERS_32 FORETRACE_REGISTERS_16 \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define FORETRACE_REGISTERS_64 FORETRACE_REGISTERS_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define FORETRACE_REGISTERS_128 FORETRACE_REGISTERS_64 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define FORETRACE_SUMS_4(kind, i) kind(sum[i]), kind(sum[i + 1]), kind(sum[i + 2]), kind(sum[i + 3])
#define FORETRACE_SUMS_8(kind, i) FORETRACE_SUMS_4(kind, i), FORETRACE_SUMS_4(kind, i + 4)
#define FORETRACE_SUMS_16(kind, i) FORETRACE_SUMS_8(kind, i), FORETRACE_SUMS_8(kind, i + 8)
#define FORETRACE_SUMS_32(kind, i) FORETRACE_SUMS_16(kind, i), FORETRACE_SUMS_16(kind, i + 16)
#define FORETRACE_SUMS_64(kind, i) FORETRACE_SUMS_32(kind, i), FORETRACE_SUMS_32(kind, i + 32)
#define FORETRACE_SUMS_128(kind, i) FORETRACE_SUMS_64(kind, i), FORETRACE_SUMS_64(kind, i + 64)

template <class Format, int rows>
struct WarpgroupProduct;

/// sum (if `accumulate`, else 0) + A * B^T for 64 outputs, `rows` rows and 32 bytes of depth. Asynchronous: `sum` belongs to
/// the tensor cores until waitProducts.
#define FORETRACE_PRODUCT(Format, rows, count, shape, types, kind, tail, first, second, third) \
  template <> \
  struct WarpgroupProduct<Format, rows> { \
    __device__ __forceinline__ static void start(Format::Sum (&sum)[count], std::uint64_t a, std::uint64_t b, int accumulate) { \
      asm volatile( \
          "{\n.reg .pred p;\nsetp.ne.b32 p, %" third ", 0;\n" \
          "wgmma.mma_async.sync.aligned." shape "." types " {" FORETRACE_REGISTERS_##count "}, %" first ", %" second ", p" tail ";\n}" \
          : FORETRACE_SUMS_##count(kind, 0) \
          : "l"(a), "l"(b), "r"(accumulate)); \
    } \
  };

#define FORETRACE_FLOATS(value) "+f"(value)
#define FORETRACE_INTEGERS(value) "+r"(value)
#define FORETRACE_PRODUCTS(rows, count, first, second, third) \
  FORETRACE_PRODUCT(Bf16Format, rows, count, "m64n" #rows "k16", "f32.bf16.bf16", FORETRACE_FLOATS, ", 1, 1, 0, 0", first, second, third) \
  FORETRACE_PRODUCT(Int8Format, rows, count, "m64n" #rows "k32", "s32.s8.s8", FORETRACE_INTEGERS, "", first, second, third) \
  FORETRACE_PRODUCT(Fp8Format, rows, count, "m64n" #rows "k32", "f32.e4m3.e4m3", FORETRACE_FLOATS, ", 1, 1", first, second, third)
FORETRACE_PRODUCTS(8, 4, "4", "5", "6")
FORETRACE_PRODUCTS(16, 8, "8", "9", "10")
FORETRACE_PRODUCTS(32, 16, "16", "17", "18")
FORETRACE_PRODUCTS(64, 32, "32", "33", "34")
FORETRACE_PRODUCTS(128, 64, "64", "65", "66")
FORETRACE_PRODUCTS(256, 128, "128", "129", "130")

template <class Format, int rows>
__device__ __forceinline__ void startProduct(typename Format::Sum (&sum)[rows / 2], std::uint64_t a, std::uint64_t b, bool accumulate) {
  WarpgroupProduct<Format, rows>::start(sum, a, b, accumulate ? 1 : 0);
}

/// After waitProducts and before the first use of sums: the compiler, which does not know that products write them later
/// than they are started, moves no use of them above this line.
template <int count>
__device__ __forceinline__ void settle(float (&sum)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sum[i])::"memory");
}
template <int count>
__device__ __forceinline__ void settle(std::int32_t (&sum)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(sum[i])::"memory");
}

}  // namespace foretrace::cuda
#endif
