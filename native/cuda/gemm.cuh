// out = input * weights^T with mma.sync, one kernel for all numbers of rows: only the tile differs. Weights are operand A
// (16 outputs), rows are operand B (8 columns), so that one row costs what eight cost and no more. What an element is a sum
// of, and in which order: gemm_format.cuh.
#pragma once

#include "cuda/gemm_format.cuh"

namespace foretrace::cuda {

/// Shape of a block: warpsOut x warpsRow warps, each of outTiles x 16 outputs and rowTiles x 8 rows.
template <class Format_, int outTiles_, int rowTiles_, int warpsOut_, int warpsRow_, int stages_>
struct GemmTile {
  using Format = Format_;
  using Sum = typename Format::Sum;
  static constexpr int outTiles = outTiles_;
  static constexpr int rowTiles = rowTiles_;
  static constexpr int warpsOut = warpsOut_;
  static constexpr int threads = 32 * warpsOut_ * warpsRow_;
  static constexpr int stages = stages_;
  static constexpr int rows = 8 * rowTiles_ * warpsRow_;
  static constexpr int stageBytes = weightBlockBytes + rows * depthBytes;
  static constexpr int sharedBytes = stageBytes * stages;
  static_assert(16 * outTiles * warpsOut == outsPerBlock);
};

template <class Format>
using GemmTile8 = GemmTile<Format, 2, 1, 4, 1, 4>;
template <class Format>
using GemmTile16 = GemmTile<Format, 2, 2, 4, 1, 4>;
template <class Format>
using GemmTile32 = GemmTile<Format, 2, 4, 4, 1, 4>;
template <class Format>
using GemmTile64 = GemmTile<Format, 2, 8, 4, 1, 4>;
template <class Format>
using GemmTile128 = GemmTile<Format, 4, 8, 2, 2, 3>;

/// Starts the copies of the weights of one block of depth: 16 KiB as they are.
template <class Tile>
FORETRACE_DEVICE void loadWeights(const GemmParameters& p, char* stage, int depthBlock) {
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * p.depthBlocks + depthBlock;
  const char* weights = static_cast<const char*>(p.weights) + block * weightBlockBytes;
  FORETRACE_UNROLL
  for (int piece = static_cast<int>(threadIdx.x); piece < weightBlockBytes / 16; piece += Tile::threads) {
    copyAsync16(stage + piece * 16, weights + piece * 16, 16);
  }
}

/// Starts the copies of the rows for one block of depth, as they are. Groups of rows that do not exist become zero.
template <class Tile>
FORETRACE_DEVICE void loadRows(const GemmParameters& p, char* stage, int depthBlock) {
  const int firstGroup = static_cast<int>(blockIdx.x) * (Tile::rows / rowsPerGroup);
  const int pieces = (rowGroups(p.rows) - firstGroup) * (groupBytes / 16);  // that exist, of this tile and later ones
  const char* from = static_cast<const char*>(p.input) + (static_cast<std::int64_t>(depthBlock) * p.inputGroups + firstGroup) * groupBytes;
  char* to = stage + weightBlockBytes;
  FORETRACE_UNROLL
  for (int piece = static_cast<int>(threadIdx.x); piece < Tile::rows * (depthBytes / 16); piece += Tile::threads) {
    copyAsync16(to + piece * 16, from + (piece < pieces ? piece * 16 : 0), piece < pieces ? 16 : 0);
  }
}

/// Adds the products of one block of depth, 32 bytes at a time in ascending order.
template <class Tile>
FORETRACE_DEVICE void multiplyStage(const char* stage, int outWarp, int rowWarp, int lane,
                                    typename Tile::Sum (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  // Lane l names row l % 8 of matrix l / 8. Operand A: rows 0-7 and 8-15 of the first 16 bytes, then of the second. Operand B:
  // the first and second 16 bytes of two steps.
  const char* weights = stage + (outWarp * Tile::outTiles * 2 + lane / 8 % 2) * groupBytes + lane / 16 * coreBytes + lane % 8 * 16;
  const char* rows = stage + weightBlockBytes + rowWarp * Tile::rowTiles * groupBytes + lane / 8 * coreBytes + lane % 8 * 16;
  FORETRACE_UNROLL
  for (int pair = 0; pair < stepsPerBlock / 2; ++pair) {
    std::uint32_t b[Tile::rowTiles][4];
    FORETRACE_UNROLL
    for (int n = 0; n < Tile::rowTiles; ++n) loadMatrices(b[n], rows + n * groupBytes + pair * 4 * coreBytes);
    FORETRACE_UNROLL
    for (int step = 0; step < 2; ++step) {
      FORETRACE_UNROLL
      for (int m = 0; m < Tile::outTiles; ++m) {
        std::uint32_t a[4];
        loadMatrices(a, weights + m * 2 * groupBytes + (pair * 2 + step) * 2 * coreBytes);
        FORETRACE_UNROLL
        for (int n = 0; n < Tile::rowTiles; ++n) Tile::Format::multiply(sum[m][n], a, b[n][step * 2], b[n][step * 2 + 1]);
      }
    }
  }
}

/// multiplyStage into a sum of its own, which then joins the others.
template <class Tile>
FORETRACE_DEVICE void joinStage(const char* stage, int outWarp, int rowWarp, int lane,
                                typename Tile::Sum (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  typename Tile::Sum block[Tile::outTiles][Tile::rowTiles][4] = {};
  multiplyStage<Tile>(stage, outWarp, rowWarp, lane, block);
  FORETRACE_UNROLL
  for (int m = 0; m < Tile::outTiles; ++m) {
    FORETRACE_UNROLL
    for (int n = 0; n < Tile::rowTiles; ++n) {
      FORETRACE_UNROLL
      for (int element = 0; element < 4; ++element) sum[m][n][element] = joined(sum[m][n][element], block[m][n][element]);
    }
  }
}

/// Sums over the blocks of depth [begin, end), with Tile::stages - 1 of them on their way. Weights are asked for before the
/// kernel that makes the rows has ended.
template <class Tile>
FORETRACE_DEVICE void multiplyRange(const GemmParameters& p, int begin, int end, int outWarp, int rowWarp, int lane,
                                    typename Tile::Sum (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  char* shared = sharedMemory();
  for (int stage = 0; stage < Tile::stages - 1; ++stage) {
    if (begin + stage < end) loadWeights<Tile>(p, shared + stage * Tile::stageBytes, begin + stage);
  }
  waitForEarlierKernels();
  for (int stage = 0; stage < Tile::stages - 1; ++stage) {
    if (begin + stage < end) loadRows<Tile>(p, shared + stage * Tile::stageBytes, begin + stage);
    commitCopies();  // the first group has all the weights
  }
  for (int block = begin; block < end; ++block) {
    waitCopies<Tile::stages - 2>();
    syncThreads();  // what `block` needs is there for all; what block - 1 used may be overwritten
    const int next = block + Tile::stages - 1;
    if (next < end) {
      char* stage = shared + (next - begin) % Tile::stages * Tile::stageBytes;
      loadWeights<Tile>(p, stage, next);
      loadRows<Tile>(p, stage, next);
    }
    commitCopies();
    const char* stage = shared + (block - begin) % Tile::stages * Tile::stageBytes;
    if constexpr (Tile::Format::sumsBlocks) {
      joinStage<Tile>(stage, outWarp, rowWarp, lane, sum);
    } else {
      multiplyStage<Tile>(stage, outWarp, rowWarp, lane, sum);
    }
  }
  waitCopies<0>();
  syncThreads();  // the next range starts from an empty pipeline
}

template <class Tile>
FORETRACE_DEVICE void storeTile(const GemmParameters& p, int split, int outWarp, int rowWarp, int lane,
                                const typename Tile::Sum (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  auto* output = static_cast<typename Tile::Sum*>(p.output) + (p.sequentialSplits ? 0 : split * p.splitStride);
  const bool accumulate = p.sequentialSplits && split > 0;
  FORETRACE_UNROLL
  for (int m = 0; m < Tile::outTiles; ++m) {
    FORETRACE_UNROLL
    for (int n = 0; n < Tile::rowTiles; ++n) {
      FORETRACE_UNROLL
      for (int element = 0; element < 4; ++element) {
        const FragmentIndex at = accumulator(lane, element);
        const int row = static_cast<int>(blockIdx.x) * Tile::rows + (rowWarp * Tile::rowTiles + n) * 8 + at.column;
        const int out = static_cast<int>(blockIdx.y) * outsPerBlock + (outWarp * Tile::outTiles + m) * 16 + at.row;
        if (row >= p.rows) continue;
        auto* to = output + row * p.outputStride + out;
        *to = accumulate ? joined(*to, sum[m][n][element]) : sum[m][n][element];
      }
    }
  }
}

/// Grid: (row blocks, output blocks, splits or 1 when they are sequential).
template <class Tile>
__global__ void __launch_bounds__(Tile::threads) gemmKernel(const GemmParameters p) {
  allowNextKernel();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int outWarp = warp % Tile::warpsOut;
  const int rowWarp = warp / Tile::warpsOut;
  const SplitRange splits = splitsOf<typename Tile::Format>(p);
  for (int split = splits.first; split <= splits.last; ++split) {
    typename Tile::Sum sum[Tile::outTiles][Tile::rowTiles][4] = {};
    multiplyRange<Tile>(p, splitBegin(p.depthBlocks, p.splits, split), rangeEnd<typename Tile::Format>(p, split), outWarp, rowWarp,
                        lane, sum);
    storeTile<Tile>(p, split, outWarp, rowWarp, lane, sum);
  }
}

}  // namespace foretrace::cuda
