#include "cuda/attention_kernel.cuh"

#include "cuda/launch.h"
#include "cuda/launch_kernel.h"

namespace foretrace::cuda {
namespace {

template <int D>
void prepare() {
  for (const auto kernel : {attentionKernel<D, false>, attentionKernel<D, true>, bulkAttentionKernel<D, false>, bulkAttentionKernel<D, true>}) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, attentionSharedBytes<D>()), "shared memory of attention");
  }
}

template <int D>
void launch(const AttentionParameters& p, int items, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(items), static_cast<unsigned>(p.kvHeads));
  const auto bulk = p.few ? bulkAttentionKernel<D, true> : bulkAttentionKernel<D, false>;
  const auto pieces = p.few ? attentionKernel<D, true> : attentionKernel<D, false>;
  launchKernel("attention", p.bulk ? bulk : pieces, grid, attentionThreads, attentionSharedBytes<D>(), stream, p);
}

}  // namespace

void prepareAttention() {
  prepare<32>();
  prepare<64>();
  prepare<128>();
}

void launchAttention(const AttentionParameters& p, int items, int paddedHeadDim, cudaStream_t stream) {
  if (items <= 0) return;
  switch (paddedHeadDim) {
    case 32: return launch<32>(p, items, stream);
    case 64: return launch<64>(p, items, stream);
    case 128: return launch<128>(p, items, stream);
    default: throw Error(ErrorCode::internal, "attention", "a padded head of 32, 64 or 128", std::to_string(paddedHeadDim));
  }
}

void launchMerge(const MergeParameters& p, cudaStream_t stream) {
  if (p.count <= 0) return;
  const dim3 grid(static_cast<unsigned>(p.count), static_cast<unsigned>(p.heads));
  launchKernel("merge of partial attention", mergeKernel, grid, (p.headDim / 2 + 31) / 32 * 32, 0, stream, p);
}

}  // namespace foretrace::cuda
