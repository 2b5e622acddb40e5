// Barriers in shared memory that count bytes, and copies of whole blocks by the copy engine: operations of compute capability
// 9.0. Other targets have none of them (FORETRACE_WARPGROUPS is not defined); a host compiler gets the emulation of the same names.
#pragma once

#include "cuda/intrinsics.cuh"

#ifndef __CUDACC__
#include "cuda_emulated_warpgroup.h"
#else

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define FORETRACE_WARPGROUPS 1
#endif

namespace foretrace::cuda {

__device__ __forceinline__ std::uint32_t sharedAddress(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

#ifdef FORETRACE_WARPGROUPS

/// A barrier that a phase of ends when `arrivals` threads have arrived and all bytes expected have come.
__device__ __forceinline__ void initBarrier(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(arrivals) : "memory");
}

/// Makes barriers that one thread has initialised known to the copy engine; then all threads must meet.
__device__ __forceinline__ void publishBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory");
}

__device__ __forceinline__ void arriveExpecting(std::uint64_t* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes) : "memory");
}

/// Waits for the end of the phase of this parity: 0 for the first, third, .., 1 for the second, fourth, ..
__device__ __forceinline__ void waitBarrier(std::uint64_t* barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra ended;\n"
      "bra again;\n"
      "ended:\n"
      "}" ::"r"(sharedAddress(barrier)), "r"(parity)
      : "memory");
}

/// Starts copying `bytes` (a multiple of 16, both addresses too) to shared memory; the barrier counts them as they arrive.
__device__ __forceinline__ void copyBlock(void* shared, const void* global, int bytes, std::uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(sharedAddress(shared)),
               "l"(global), "r"(bytes), "r"(sharedAddress(barrier))
               : "memory");
}

#endif  // FORETRACE_WARPGROUPS

}  // namespace foretrace::cuda
#endif
