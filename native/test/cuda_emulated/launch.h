// The launches of cuda/launch.h on the emulator, with the grids and shared memory of the .cu files. Included once.
#pragma once

#include "cuda/attention_kernel.cuh"
#include "cuda/copy_page.cuh"
#include "cuda/embedding.cuh"
#include "cuda/gemm.cuh"
#include "cuda/gemm_warpgroup.cuh"
#include "cuda/launch.h"
#include "cuda/norm.cuh"
#include "cuda/pack.cuh"
#include "cuda/quantise_kernel.cuh"
#include "cuda/rope.cuh"
#include "cuda/sample_kernel.cuh"
#include "cuda/sum_splits.cuh"
#include "cuda/swiglu.cuh"

namespace foretrace::cuda {

/// The order in which the threads of all following launches run.
inline emulator::Order& emulatedOrder() {
  static emulator::Order order = emulator::Order::ascending;
  return order;
}

/// Runs a launch, or records it if the stream is being captured; `body` holds copies of all it needs.
template <class Body>
void emulate(emulator::Dim3 grid, int threads, std::size_t sharedBytes, const Body& body) {
  const auto run = [=] { emulator::launch(grid, static_cast<unsigned>(threads), sharedBytes, emulatedOrder(), body); };
  if (emulatedCapture().graph != nullptr) {
    emulatedCapture().graph->launches.emplace_back(run);
  } else {
    run();
  }
}

inline unsigned blocksFor(std::int64_t count, int threads) { return static_cast<unsigned>((count + threads - 1) / threads); }

template <class Tile>
void emulateGemm(const GemmParameters& p, const GemmShape& shape) {
  const unsigned splits = p.sequentialSplits ? 1U : static_cast<unsigned>(p.splits);
  emulate({blocksFor(p.rows, Tile::rows), static_cast<unsigned>(shape.outBlocks), splits}, Tile::threads, Tile::sharedBytes, [=] {
    if constexpr (requires { Tile::multipliers; }) {
      warpgroupKernel<Tile>(p);
    } else {
      gemmKernel<Tile>(p);
    }
  });
}

void prepareGemm() {}
void prepareAttention() {}
bool warpgroupsCompiled() { return emulatedDriver().major == 9; }

template <class Format>
void emulateMma(const GemmParameters& p, const GemmShape& shape) {
  if (p.rows <= 8) return emulateGemm<GemmTile8<Format>>(p, shape);
  if (p.rows <= 16) return emulateGemm<GemmTile16<Format>>(p, shape);
  if (p.rows <= 32) return emulateGemm<GemmTile32<Format>>(p, shape);
  if constexpr (!Format::sumsBlocks) {
    if (p.rows > 64) return emulateGemm<GemmTile128<Format>>(p, shape);
  }
  return emulateGemm<GemmTile64<Format>>(p, shape);
}

template <class Format>
void emulateWarpgroups(const GemmParameters& p, const GemmShape& shape) {
  if (p.rows <= 8) return emulateGemm<WarpgroupTile8<Format>>(p, shape);
  if (p.rows <= 16) return emulateGemm<WarpgroupTile16<Format>>(p, shape);
  if (p.rows <= 32) return emulateGemm<WarpgroupTile32<Format>>(p, shape);
  if (p.rows <= 64) return emulateGemm<WarpgroupTile64<Format>>(p, shape);
  if constexpr (!Format::sumsBlocks) {
    if (takesWidestTile<Format>(p)) return emulateGemm<WarpgroupTile256<Format>>(p, shape);
  }
  return emulateGemm<WarpgroupTile128<Format>>(p, shape);
}

template <class Format>
void emulateFormat(const GemmParameters& p, const GemmShape& shape) {
  return p.warpgroups ? emulateWarpgroups<Format>(p, shape) : emulateMma<Format>(p, shape);
}

void launchGemm(const GemmParameters& p, const GemmShape& shape, cudaStream_t) {
  if (p.rows <= 0) return;
  switch (p.format) {
    case WeightFormat::bf16: return emulateFormat<Bf16Format>(p, shape);
    case WeightFormat::int8: return emulateFormat<Int8Format>(p, shape);
    case WeightFormat::fp8: return emulateFormat<Fp8Format>(p, shape);
  }
}

void launchEmbedding(const EmbeddingParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.rows), blocksFor(p.hidden, 2 * embeddingThreads), 1}, embeddingThreads, 0, [=] { embeddingKernel(p); });
}

void launchNorm(const NormParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.rows), 1, 1}, normThreads, normSharedBytes, [=] { normKernel(p); });
}

void launchQuantise(const QuantiseParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.rows), 1, 1}, quantiseThreads, quantiseSharedBytes, [=] { quantiseKernel(p); });
}

void launchRope(const RopeParameters& p, cudaStream_t) {
  const auto heads = static_cast<unsigned>(p.heads + 2 * p.kvHeads);
  if (p.queryNorm != nullptr) {
    return emulate({static_cast<unsigned>(p.rows), heads, 1}, headNormThreads, headNormSharedBytes, [=] { headNormRopeKernel(p); });
  }
  const unsigned blocks = blocksFor(static_cast<std::int64_t>(heads) * (p.headDim / 2), ropeThreads);
  emulate({static_cast<unsigned>(p.rows), blocks, 1}, ropeThreads, 0, [=] { ropeKernel(p); });
}

void launchSwiglu(const SwigluParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.rows), blocksFor(p.ffn, swigluThreads * swigluAtOnce), 1}, swigluThreads, 0, [=] { swigluKernel(p); });
}

template <int D>
void emulateAttention(const AttentionParameters& p, int items) {
  emulate({static_cast<unsigned>(items), static_cast<unsigned>(p.kvHeads), 1}, attentionThreads, attentionSharedBytes<D>(),
          [=] {
            if (p.few) {
              p.bulk ? bulkAttentionKernel<D, true>(p) : attentionKernel<D, true>(p);
            } else {
              p.bulk ? bulkAttentionKernel<D, false>(p) : attentionKernel<D, false>(p);
            }
          });
}

void launchAttention(const AttentionParameters& p, int items, int paddedHeadDim, cudaStream_t) {
  if (paddedHeadDim == 32) return emulateAttention<32>(p, items);
  if (paddedHeadDim == 64) return emulateAttention<64>(p, items);
  return emulateAttention<128>(p, items);
}

void launchMerge(const MergeParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.count), static_cast<unsigned>(p.heads), 1}, (p.headDim / 2 + 31) / 32 * 32, 0, [=] { mergeKernel(p); });
}

void launchCopyPage(const CopyPageParameters& p, cudaStream_t) {
  if (p.tokens <= 0) return;
  emulate({static_cast<unsigned>(p.layers), static_cast<unsigned>(p.kvHeads), 1}, copyPageThreads, 0, [=] { copyPageKernel(p); });
}

void launchSample(const SampleParameters& p, cudaStream_t) {
  if (p.count <= 0) return;
  const auto count = static_cast<unsigned>(p.count);
  if (p.parts > 1) {
    const auto parts = static_cast<unsigned>(p.parts);
    emulate({parts, count, 1}, sampleThreads, sampleSharedBytes, [=] { greatestKernel(p); });
    emulate({parts, count, 1}, sampleThreads, sampleSharedBytes, [=] { totalKernel(p); });
  }
  emulate({count, 1, 1}, sampleThreads, sampleSharedBytes, [=] { sampleKernel(p); });
}

void launchPack(const PackParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.rows), 1, 1}, packThreads, packSharedBytes, [=] { packKernel(p); });
}

void launchConvert(const void* source, DType dtype, float* to, std::int64_t count, cudaStream_t) {
  emulate({blocksFor(count, packThreads), 1, 1}, packThreads, 0, [=] { convertKernel(source, dtype, to, count); });
}

void launchRandom(const RandomParameters& p, cudaStream_t) {
  emulate({static_cast<unsigned>(p.outs), 1, 1}, packThreads, packSharedBytes, [=] { randomKernel(p); });
}

void launchSumSplits(const PartialSums& sums, float* output, std::int64_t outputStride, int rows, int columns, cudaStream_t) {
  emulate({static_cast<unsigned>(rows), blocksFor(columns, sumThreads), 1}, sumThreads, 0,
          [=] { sumSplitsKernel(sums, output, outputStride, columns); });
}

}  // namespace foretrace::cuda
