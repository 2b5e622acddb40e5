// out = input * weights^T with wgmma on compute capability 9.0: one producer thread keeps the copy engine busy, two warpgroups
// of 64 outputs each multiply. As with mma.sync weights are operand A and rows are operand B (N = 8 .. 128), for every number
// of rows from one to thousands: one kind of instruction and one order of sums for all of them (gemm_format.cuh).
#pragma once

#include "cuda/warpgroup.cuh"

namespace foretrace::cuda {

/// A block of 128 outputs x `rows` rows.
template <class Format_, int rows_, int stages_>
struct WarpgroupTile {
  using Format = Format_;
  using Sum = typename Format::Sum;
  static constexpr int rows = rows_;
  static constexpr int stages = stages_;
  static constexpr int sums = rows / 2;             ///< accumulators of a thread: 64 x rows over 128 threads
  static constexpr bool takesOneSplit = rows > 128; ///< no room for a second set of accumulators
  static constexpr int multipliers = 256;           ///< threads of the two warpgroups
  static constexpr int threads = multipliers + 32;  ///< and the warp of the producer
  static constexpr int stageBytes = weightBlockBytes + rows * depthBytes;
  static constexpr int barrierBytes = 2 * stages * 8;
  static constexpr int sharedBytes = stages * stageBytes + barrierBytes;
  static constexpr int blocksPerProcessor = 2 * (sharedBytes + 1024) <= 228 * 1024 ? 2 : 1;
};

// Enough stages that about 200 KiB of a multiprocessor's shared memory are being filled: far more than the bandwidth times
// the latency of memory (4.8 TB/s x 1 us / 132 = 36 KiB), so that blocks that start or end do not leave it idle.
template <class Format>
using WarpgroupTile8 = WarpgroupTile<Format, 8, 6>;
template <class Format>
using WarpgroupTile16 = WarpgroupTile<Format, 16, 6>;
template <class Format>
using WarpgroupTile32 = WarpgroupTile<Format, 32, 5>;
template <class Format>
using WarpgroupTile64 = WarpgroupTile<Format, 64, 4>;
template <class Format>
using WarpgroupTile128 = WarpgroupTile<Format, 128, 6>;
// At the peak of the tensor cores a block of 128 x 128 would read 64 bytes a clock on each multiprocessor, more than the L2
// cache of an H100 delivers to all of them; one of 128 x 256 reads 48. Accumulators are half of a thread's registers then, so
// there is no second set: not for fp8, and not for a matrix whose splits one block sums.
template <class Format>
using WarpgroupTile256 = WarpgroupTile<Format, 256, 4>;

/// Whether a product of this many rows is made of blocks of 256 rows.
template <class Format>
[[nodiscard]] FORETRACE_HD constexpr bool takesWidestTile(const GemmParameters& p) {
  return !Format::sumsBlocks && p.rows > 256 && (p.splits == 1 || !Format::sumsSplits);
}

#ifdef FORETRACE_WARPGROUPS

/// The stages of the pipeline and their barriers. A stage goes round: filled (full ends a phase), multiplied, free (empty ends
/// a phase).
template <class Tile>
struct Pipeline {
  char* data;
  std::uint64_t* full;   ///< one arrival, the producer's, and the bytes of the stage
  std::uint64_t* empty;  ///< one arrival of each of the eight multiplying warps

  FORETRACE_DEVICE static Pipeline at(char* shared) {
    auto* barriers = reinterpret_cast<std::uint64_t*>(shared + Tile::stages * Tile::stageBytes);
    return {shared, barriers, barriers + Tile::stages};
  }
  FORETRACE_DEVICE void init() const {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < Tile::stages; ++stage) {
        initBarrier(full + stage, 1);
        initBarrier(empty + stage, Tile::multipliers / 32);
      }
      publishBarriers();
    }
    syncThreads();
  }
  FORETRACE_DEVICE char* stage(int use) const { return data + use % Tile::stages * Tile::stageBytes; }
  FORETRACE_DEVICE static int parity(int use) { return use / Tile::stages % 2; }
};

/// The blocks of depth from `begin` to `end` through the pipeline. The weights of the first stages are asked for before the
/// kernel that makes the rows has ended. One thread.
template <class Tile>
FORETRACE_DEVICE void produce(const GemmParameters& p, const Pipeline<Tile>& pipeline, int begin, int end) {
  const int firstGroup = static_cast<int>(blockIdx.x) * (Tile::rows / rowsPerGroup);
  const int left = rowGroups(p.rows) - firstGroup;
  const int rowBytes = (left < Tile::rows / rowsPerGroup ? left : Tile::rows / rowsPerGroup) * groupBytes;
  const char* weights = static_cast<const char*>(p.weights) + static_cast<std::int64_t>(blockIdx.y) * p.depthBlocks * weightBlockBytes;
  const char* rows = static_cast<const char*>(p.input) + static_cast<std::int64_t>(firstGroup) * groupBytes;
  const std::int64_t rowStride = static_cast<std::int64_t>(p.inputGroups) * groupBytes;
  const auto copyWeights = [&](int block) {
    const int use = block - begin;
    std::uint64_t* full = pipeline.full + use % Tile::stages;
    arriveExpecting(full, weightBlockBytes + rowBytes);
    copyBlock(pipeline.stage(use), weights + static_cast<std::int64_t>(block) * weightBlockBytes, weightBlockBytes, full);
  };
  const auto copyRows = [&](int block) {
    const int use = block - begin;
    copyBlock(pipeline.stage(use) + weightBlockBytes, rows + block * rowStride, rowBytes, pipeline.full + use % Tile::stages);
  };
  const int ahead = end - begin < Tile::stages ? end : begin + Tile::stages;
  for (int block = begin; block < ahead; ++block) copyWeights(block);
  waitForEarlierKernels();
  for (int block = begin; block < ahead; ++block) copyRows(block);
  for (int block = ahead; block < end; ++block) {
    const int use = block - begin;
    waitBarrier(pipeline.empty + use % Tile::stages, Pipeline<Tile>::parity(use - Tile::stages));
    copyWeights(block);
    copyRows(block);
  }
}

/// Starts the products of one stage for the 64 outputs of a warpgroup; the first replaces `sum` unless `accumulate`.
template <class Tile>
FORETRACE_DEVICE void startStage(char* stage, int warpgroup, bool accumulate, typename Tile::Sum (&sum)[Tile::sums]) {
  const std::uint64_t weights = matrixDescriptor(sharedAddress(stage + warpgroup * 64 / 8 * groupBytes));
  const std::uint64_t rows = matrixDescriptor(sharedAddress(stage + weightBlockBytes));
  FORETRACE_UNROLL
  for (int step = 0; step < stepsPerBlock; ++step) {
    startProduct<typename Tile::Format, Tile::rows>(sum, advanced(weights, step * stepBytes / 16 * coreBytes),
                                                    advanced(rows, step * stepBytes / 16 * coreBytes), accumulate || step > 0);
  }
  commitProducts();
}

template <class Tile>
FORETRACE_DEVICE void join(typename Tile::Sum (&total)[Tile::sums], const typename Tile::Sum (&sum)[Tile::sums], bool first) {
  FORETRACE_UNROLL
  for (int i = 0; i < Tile::sums; ++i) total[i] = first ? sum[i] : joined(total[i], sum[i]);
}

/// sum = the products of the blocks [begin, end) of depth, which are the uses `use` .. of the pipeline. One group of products is
/// left running while the next stage is waited for; a stage is free once its products have ended.
template <class Tile>
FORETRACE_DEVICE void multiplySplit(const Pipeline<Tile>& pipeline, int warpgroup, int use, int end, typename Tile::Sum (&sum)[Tile::sums]) {
  const bool releases = threadIdx.x % 32 == 0;
  if constexpr (Tile::Format::sumsBlocks) {
    for (int first = use; use < end; ++use) {
      typename Tile::Sum block[Tile::sums];
      waitBarrier(pipeline.full + use % Tile::stages, Pipeline<Tile>::parity(use));
      beginProducts();
      startStage<Tile>(pipeline.stage(use), warpgroup, false, block);
      waitProducts<0>();
      settle(block);
      if (releases) arrive(pipeline.empty + use % Tile::stages);
      join<Tile>(sum, block, use == first);
    }
  } else {
    for (int first = use; use < end; ++use) {
      waitBarrier(pipeline.full + use % Tile::stages, Pipeline<Tile>::parity(use));
      beginProducts();
      startStage<Tile>(pipeline.stage(use), warpgroup, use > first, sum);
      waitProducts<1>();
      if (releases && use > first) arrive(pipeline.empty + (use - 1) % Tile::stages);
    }
    waitProducts<0>();
    settle(sum);
    if (releases) arrive(pipeline.empty + (use - 1) % Tile::stages);
  }
}

template <class Tile>
FORETRACE_DEVICE void storeSums(const GemmParameters& p, int split, const typename Tile::Sum (&sum)[Tile::sums]) {
  auto* output = static_cast<typename Tile::Sum*>(p.output) + (p.sequentialSplits ? 0 : split * p.splitStride);
  const int thread = static_cast<int>(threadIdx.x) % 128;
  const int warpgroup = static_cast<int>(threadIdx.x) / 128;
  FORETRACE_UNROLL
  for (int i = 0; i < Tile::sums; ++i) {
    const FragmentIndex at = warpgroupAccumulator(thread, i);
    const int row = static_cast<int>(blockIdx.x) * Tile::rows + at.column;
    const int out = static_cast<int>(blockIdx.y) * outsPerBlock + warpgroup * 64 + at.row;
    if (row < p.rows) output[row * p.outputStride + out] = sum[i];
  }
}

/// The multiplying threads: every split in turn, summed in registers.
template <class Tile>
FORETRACE_DEVICE void consume(const GemmParameters& p, const Pipeline<Tile>& pipeline, const SplitRange& splits) {
  const int warpgroup = static_cast<int>(threadIdx.x) / 128;
  const int begin = splitBegin(p.depthBlocks, p.splits, splits.first);
  typename Tile::Sum sum[Tile::sums];
  if (Tile::takesOneSplit || splits.first == splits.last) {
    multiplySplit<Tile>(pipeline, warpgroup, 0, rangeEnd<typename Tile::Format>(p, splits.first) - begin, sum);
    storeSums<Tile>(p, splits.first, sum);
    return;
  }
  if constexpr (!Tile::takesOneSplit) {
    typename Tile::Sum total[Tile::sums];
    for (int split = splits.first; split <= splits.last; ++split) {
      const int from = splitBegin(p.depthBlocks, p.splits, split) - begin;
      multiplySplit<Tile>(pipeline, warpgroup, from, rangeEnd<typename Tile::Format>(p, split) - begin, sum);
      join<Tile>(total, sum, split == splits.first);
    }
    storeSums<Tile>(p, splits.first, total);
  }
}

#endif  // FORETRACE_WARPGROUPS

/// Grid: (row blocks, output blocks, splits or 1 when they are sequential). Empty on targets without wgmma.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, Tile::blocksPerProcessor) warpgroupKernel(const GemmParameters p) {
#ifdef FORETRACE_WARPGROUPS
  allowNextKernel();
  const auto pipeline = Pipeline<Tile>::at(sharedMemory());
  pipeline.init();
  const SplitRange splits = splitsOf<typename Tile::Format>(p);
  if (threadIdx.x >= Tile::multipliers) {
    if (threadIdx.x == Tile::multipliers) {
      produce<Tile>(p, pipeline, splitBegin(p.depthBlocks, p.splits, splits.first), rangeEnd<typename Tile::Format>(p, splits.last));
    }
  } else {
    waitForEarlierKernels();
    consume<Tile>(p, pipeline, splits);
  }
#endif
}

}  // namespace foretrace::cuda
