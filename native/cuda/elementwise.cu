// Launches of the kernels that work on rows without a matrix product.
#include "cuda/copy_page.cuh"
#include "cuda/embedding.cuh"
#include "cuda/launch.h"
#include "cuda/launch_kernel.h"
#include "cuda/norm.cuh"
#include "cuda/quantise_kernel.cuh"
#include "cuda/rope.cuh"
#include "cuda/sum_splits.cuh"
#include "cuda/swiglu.cuh"

namespace foretrace::cuda {
namespace {

[[nodiscard]] unsigned blocksFor(std::int64_t count, int threads) { return static_cast<unsigned>((count + threads - 1) / threads); }

}  // namespace

void launchEmbedding(const EmbeddingParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  const dim3 grid(static_cast<unsigned>(p.rows), blocksFor(p.hidden, 2 * embeddingThreads));
  launchKernel("embedding", embeddingKernel, grid, embeddingThreads, 0, stream, p);
}

void launchNorm(const NormParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  launchKernel("norm", normKernel, dim3(static_cast<unsigned>(p.rows)), normThreads, normSharedBytes, stream, p);
}

void launchQuantise(const QuantiseParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  launchKernel("rounding of rows", quantiseKernel, dim3(static_cast<unsigned>(p.rows)), quantiseThreads, quantiseSharedBytes, stream, p);
}

void launchRope(const RopeParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  const std::int64_t heads = p.heads + 2 * p.kvHeads;
  if (p.queryNorm != nullptr) {
    const dim3 grid(static_cast<unsigned>(p.rows), static_cast<unsigned>(heads));
    return launchKernel("norms of heads and rotary positions", headNormRopeKernel, grid, headNormThreads, headNormSharedBytes, stream, p);
  }
  const std::int64_t pairs = heads * (p.headDim / 2);
  const dim3 grid(static_cast<unsigned>(p.rows), blocksFor(pairs, ropeThreads));
  launchKernel("rotary positions", ropeKernel, grid, ropeThreads, 0, stream, p);
}

void launchSwiglu(const SwigluParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  const dim3 grid(static_cast<unsigned>(p.rows), blocksFor(p.ffn, swigluThreads * swigluAtOnce));
  launchKernel("gated activation", swigluKernel, grid, swigluThreads, 0, stream, p);
}

void launchCopyPage(const CopyPageParameters& p, cudaStream_t stream) {
  if (p.tokens <= 0) return;
  const dim3 grid(static_cast<unsigned>(p.layers), static_cast<unsigned>(p.kvHeads));
  launchKernel("copy of a page", copyPageKernel, grid, copyPageThreads, 0, stream, p);
}

void launchSumSplits(const PartialSums& sums, float* output, std::int64_t outputStride, int rows, int columns, cudaStream_t stream) {
  if (rows <= 0) return;
  const dim3 grid(static_cast<unsigned>(rows), blocksFor(columns, sumThreads));
  launchKernel("sum of partial products", sumSplitsKernel, grid, sumThreads, 0, stream, sums, output, outputStride, columns);
}

}  // namespace foretrace::cuda
