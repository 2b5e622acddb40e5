#include "cuda/gemm_warpgroup.cuh"

#include "cuda/gemm_launch.h"
#include "cuda/launch.h"
#include "cuda/launch_kernel.h"

namespace foretrace::cuda {
namespace {

template <class Tile>
void prepare() {
  check(cudaFuncSetAttribute(warpgroupKernel<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::sharedBytes),
        "shared memory of the matrix product with warpgroups");
}

template <class Tile>
void launch(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  launchKernel("matrix product with warpgroups", warpgroupKernel<Tile>, gemmGrid(p, shape, Tile::rows), Tile::threads, Tile::sharedBytes,
               stream, p);
}

template <class Format>
void prepareFormat() {
  prepare<WarpgroupTile8<Format>>();
  prepare<WarpgroupTile16<Format>>();
  prepare<WarpgroupTile32<Format>>();
  prepare<WarpgroupTile64<Format>>();
  prepare<WarpgroupTile128<Format>>();
  if constexpr (!Format::sumsBlocks) prepare<WarpgroupTile256<Format>>();
}

template <class Format>
void launchFormat(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  if (p.rows <= 8) return launch<WarpgroupTile8<Format>>(p, shape, stream);
  if (p.rows <= 16) return launch<WarpgroupTile16<Format>>(p, shape, stream);
  if (p.rows <= 32) return launch<WarpgroupTile32<Format>>(p, shape, stream);
  if (p.rows <= 64) return launch<WarpgroupTile64<Format>>(p, shape, stream);
  if constexpr (!Format::sumsBlocks) {
    if (takesWidestTile<Format>(p)) return launch<WarpgroupTile256<Format>>(p, shape, stream);
  }
  return launch<WarpgroupTile128<Format>>(p, shape, stream);
}

}  // namespace

bool warpgroupsCompiled() {
  int device = 0;
  int major = 0;
  int minor = 0;
  check(cudaGetDevice(&device), "the current GPU");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "properties of the GPU");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "properties of the GPU");
  if (major != 9 || minor != 0) return false;
  // Code the driver has made from the portable form of another target is empty: only that made for 9.0 will do.
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, warpgroupKernel<WarpgroupTile8<Bf16Format>>), "kernels of the matrix product");
  return attributes.binaryVersion == 90 && attributes.ptxVersion >= 90;
}

void prepareWarpgroupGemm() {
  prepareFormat<Bf16Format>();
  prepareFormat<Int8Format>();
  prepareFormat<Fp8Format>();
}

void launchWarpgroupGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  switch (p.format) {
    case WeightFormat::bf16: return launchFormat<Bf16Format>(p, shape, stream);
    case WeightFormat::int8: return launchFormat<Int8Format>(p, shape, stream);
    case WeightFormat::fp8: return launchFormat<Fp8Format>(p, shape, stream);
  }
}

}  // namespace foretrace::cuda
