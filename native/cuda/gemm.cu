#include "cuda/gemm.cuh"

#include "cuda/error.h"
#include "cuda/launch.h"

namespace foretrace::cuda {
namespace {

template <class Tile>
void prepare() {
  check(cudaFuncSetAttribute(gemmKernel<Tile>, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::sharedBytes),
        "shared memory of the matrix product");
}

template <class Tile>
void launch(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((p.rows + Tile::rows - 1) / Tile::rows), static_cast<unsigned>(shape.outBlocks),
                  p.sequentialSplits ? 1U : static_cast<unsigned>(p.splits));
  gemmKernel<Tile><<<grid, Tile::threads, Tile::sharedBytes, stream>>>(p);
  checkLaunch("matrix product");
}

}  // namespace

void prepareGemm() {
  prepare<GemmTile8>();
  prepare<GemmTile16>();
  prepare<GemmTile32>();
  prepare<GemmTile64>();
  prepare<GemmTile128>();
}

void launchGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream) {
  if (p.rows <= 0) return;
  if (p.rows <= GemmTile8::rows) return launch<GemmTile8>(p, shape, stream);
  if (p.rows <= GemmTile16::rows) return launch<GemmTile16>(p, shape, stream);
  if (p.rows <= GemmTile32::rows) return launch<GemmTile32>(p, shape, stream);
  if (p.rows <= GemmTile64::rows) return launch<GemmTile64>(p, shape, stream);
  return launch<GemmTile128>(p, shape, stream);
}

}  // namespace foretrace::cuda
