#include "cuda/gemm.cuh"

#include "cuda/gemm_launch.h"
#include "cuda/launch.h"
#include "cuda/launch_kernel.h"

namespace foretrace::cuda {
namespace {

template <class Tile>
void prepare() {
  check(cudaFuncSetAttribute(gemmKernel<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::sharedBytes),
        "shared memory of the matrix product");
}

template <class Tile>
void launch(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  launchKernel("matrix product", gemmKernel<Tile>, gemmGrid(p, shape, Tile::rows), Tile::threads, Tile::sharedBytes, stream, p);
}

/// fp8 keeps a second set of sums: its largest tile has half the rows.
template <class Format>
void prepareFormat() {
  prepare<GemmTile8<Format>>();
  prepare<GemmTile16<Format>>();
  prepare<GemmTile32<Format>>();
  prepare<GemmTile64<Format>>();
  if constexpr (!Format::sumsBlocks) prepare<GemmTile128<Format>>();
}

template <class Format>
void launchFormat(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  if (p.rows <= 8) return launch<GemmTile8<Format>>(p, shape, stream);
  if (p.rows <= 16) return launch<GemmTile16<Format>>(p, shape, stream);
  if (p.rows <= 32) return launch<GemmTile32<Format>>(p, shape, stream);
  if constexpr (!Format::sumsBlocks) {
    if (p.rows > 64) return launch<GemmTile128<Format>>(p, shape, stream);
  }
  return launch<GemmTile64<Format>>(p, shape, stream);
}

}  // namespace

void prepareGemm() {
  prepareFormat<Bf16Format>();
  prepareFormat<Int8Format>();
  prepareFormat<Fp8Format>();
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "the current GPU");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "properties of the GPU");
  launchesOverlap() = major >= 9;
  if (warpgroupsCompiled()) prepareWarpgroupGemm();
}

void launchGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  if (p.rows <= 0) return;
  if (p.warpgroups) return launchWarpgroupGemm(p, shape, stream);
  switch (p.format) {
    case WeightFormat::bf16: return launchFormat<Bf16Format>(p, shape, stream);
    case WeightFormat::int8: return launchFormat<Int8Format>(p, shape, stream);
    case WeightFormat::fp8: return launchFormat<Fp8Format>(p, shape, stream);
  }
}

}  // namespace foretrace::cuda
