// Launches of the kernels that work on rows without a matrix product.
#include "cuda/copy_page.cuh"
#include "cuda/embedding.cuh"
#include "cuda/error.h"
#include "cuda/launch.h"
#include "cuda/norm.cuh"
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
  embeddingKernel<<<grid, embeddingThreads, 0, stream>>>(p);
  checkLaunch("embedding");
}

void launchNorm(const NormParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  normKernel<<<static_cast<unsigned>(p.rows), normThreads, normSharedBytes, stream>>>(p);
  checkLaunch("norm");
}

void launchRope(const RopeParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  const std::int64_t pairs = static_cast<std::int64_t>(p.heads + 2 * p.kvHeads) * (p.headDim / 2);
  ropeKernel<<<dim3(static_cast<unsigned>(p.rows), blocksFor(pairs, ropeThreads)), ropeThreads, 0, stream>>>(p);
  checkLaunch("rotary positions");
}

void launchSwiglu(const SwigluParameters& p, cudaStream_t stream) {
  if (p.rows <= 0) return;
  swigluKernel<<<dim3(static_cast<unsigned>(p.rows), blocksFor(p.ffn, swigluThreads)), swigluThreads, 0, stream>>>(p);
  checkLaunch("gated activation");
}

void launchCopyPage(const CopyPageParameters& p, cudaStream_t stream) {
  if (p.tokens <= 0) return;
  copyPageKernel<<<dim3(static_cast<unsigned>(p.layers), static_cast<unsigned>(p.kvHeads)), copyPageThreads, 0, stream>>>(p);
  checkLaunch("copy of a page");
}

void launchSumSplits(const PartialSums& sums, float* output, std::int64_t outputStride, int rows, int columns, cudaStream_t stream) {
  if (rows <= 0) return;
  sumSplitsKernel<<<dim3(static_cast<unsigned>(rows), blocksFor(columns, sumThreads)), sumThreads, 0, stream>>>(
      sums, output, outputStride, columns);
  checkLaunch("sum of partial products");
}

}  // namespace foretrace::cuda
