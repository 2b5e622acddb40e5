// Between the launches of the two kinds of matrix product.
#pragma once

#include <cuda_runtime.h>

#include "cuda/kernel_parameters.h"
#include "cuda/shapes.h"

namespace foretrace::cuda {

void prepareWarpgroupGemm();
void launchWarpgroupGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream);

/// Row blocks innermost: blocks that read the same weights follow each other.
[[nodiscard]] inline dim3 gemmGrid(const GemmParameters& p, const GemmShape& shape, int tileRows) {
  return dim3(static_cast<unsigned>((p.rows + tileRows - 1) / tileRows), static_cast<unsigned>(shape.outBlocks),
              p.sequentialSplits ? 1U : static_cast<unsigned>(p.splits));
}

}  // namespace foretrace::cuda
