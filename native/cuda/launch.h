// Checked launches of the kernels. Every call queues work on the stream and returns; a launch that is refused throws.
// Nothing is launched for zero rows.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/kernel_parameters.h"
#include "cuda/sample_tasks.h"
#include "cuda/shapes.h"

namespace foretrace::cuda {

/// Allows the kernels that need it more than 48 KiB of shared memory. Once for each device, before the first launch.
void prepareGemm();
void prepareAttention();

/// Whether the current GPU and this build have the matrix product with warpgroups (wgmma): compute capability 9.0 and a
/// build for sm_90a.
[[nodiscard]] bool warpgroupsCompiled();

/// Chooses the tile by p.rows. p.splits, depthBlocks and format must be those of `shape`. fp8 needs compute capability 8.9,
/// p.warpgroups needs warpgroupsCompiled().
void launchGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t stream);

void launchEmbedding(const EmbeddingParameters& p, cudaStream_t stream);
void launchNorm(const NormParameters& p, cudaStream_t stream);
void launchQuantise(const QuantiseParameters& p, cudaStream_t stream);
void launchRope(const RopeParameters& p, cudaStream_t stream);
void launchSwiglu(const SwigluParameters& p, cudaStream_t stream);
void launchAttention(const AttentionParameters& p, int items, int paddedHeadDim, cudaStream_t stream);
void launchMerge(const MergeParameters& p, cudaStream_t stream);
void launchCopyPage(const CopyPageParameters& p, cudaStream_t stream);
void launchSample(const SampleParameters& p, cudaStream_t stream);
void launchPack(const PackParameters& p, cudaStream_t stream);
/// to[i] = element i of `source` as fp32.
void launchConvert(const void* source, DType dtype, float* to, std::int64_t count, cudaStream_t stream);
void launchRandom(const RandomParameters& p, cudaStream_t stream);

/// output[row][column] = the sum over the splits, for results that no other kernel reads.
void launchSumSplits(const PartialSums& sums, float* output, std::int64_t outputStride, int rows, int columns, cudaStream_t stream);

}  // namespace foretrace::cuda
