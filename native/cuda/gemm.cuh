// out = input * weights^T on the tensor cores, one kernel for all numbers of rows: only the tile differs. Weights are
// operand A (16 outputs), rows are operand B (8 columns), so that one row costs what eight cost and no more.
//
// An output element is, in every tile: for each split of the depth (fixed by the matrix alone), one fp32 accumulator
// that takes the 16-deep products in ascending order; then the sum of the splits in ascending order, here (sequential
// splits) or in the kernel that reads the partial results. No other row takes part: rows have the same bits at any
// number of rows.
#pragma once

#include "cuda/fragment.h"
#include "cuda/intrinsics.cuh"
#include "cuda/kernel_parameters.h"

namespace foretrace::cuda {

/// Shape of a block: warpsOut x warpsRow warps, each of outTiles x 16 outputs and rowTiles x 8 rows.
template <int outTiles_, int rowTiles_, int warpsOut_, int warpsRow_, int stages_>
struct GemmTile {
  static constexpr int outTiles = outTiles_;
  static constexpr int rowTiles = rowTiles_;
  static constexpr int warpsOut = warpsOut_;
  static constexpr int threads = 32 * warpsOut_ * warpsRow_;
  static constexpr int stages = stages_;
  static constexpr int rows = 8 * rowTiles_ * warpsRow_;
  static constexpr int weightBytes = elementsPerBlock * 2;
  static constexpr int stageBytes = weightBytes + rows * depthPerBlock * 2;
  static constexpr int sharedBytes = stageBytes * stages;
  static_assert(16 * outTiles * warpsOut == outsPerBlock);
};

using GemmTile8 = GemmTile<2, 1, 4, 1, 4>;
using GemmTile16 = GemmTile<2, 2, 4, 1, 4>;
using GemmTile32 = GemmTile<2, 4, 4, 1, 4>;
using GemmTile64 = GemmTile<2, 8, 4, 1, 4>;
using GemmTile128 = GemmTile<4, 8, 2, 2, 3>;

/// Starts the copies of one block of depth: 16 KiB of packed weights as they are, and 64 columns of the rows as
/// [half 2][row][32]. Rows beyond the last are zero.
template <class Tile>
FORETRACE_DEVICE void loadStage(const GemmParameters& p, char* stage, int depthBlock) {
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t block = static_cast<std::int64_t>(blockIdx.y) * p.depthBlocks + depthBlock;
  const char* weights = reinterpret_cast<const char*>(p.weights) + block * Tile::weightBytes;
  FORETRACE_UNROLL
  for (int piece = thread; piece < Tile::weightBytes / 16; piece += Tile::threads) {
    copyAsync16(stage + piece * 16, weights + piece * 16, 16);
  }
  char* inputs = stage + Tile::weightBytes;
  const int firstRow = static_cast<int>(blockIdx.x) * Tile::rows;
  FORETRACE_UNROLL
  for (int piece = thread; piece < Tile::rows * 8; piece += Tile::threads) {
    const int row = piece / 8;
    const int half = piece % 8 / 4;
    const bool exists = firstRow + row < p.rows;
    const std::int64_t from = static_cast<std::int64_t>(exists ? firstRow + row : 0) * p.inputStride + depthBlock * depthPerBlock;
    copyAsync16(inputs + ((half * Tile::rows + row) * 4 + piece % 4) * 16, p.input + from + piece % 8 * 8, exists ? 16 : 0);
  }
}

/// Adds the products of one block of depth, 16 at a time in ascending order.
template <class Tile>
FORETRACE_DEVICE void multiplyStage(const char* stage, int outWarp, int rowWarp, int lane,
                                    float (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  const auto* weights = reinterpret_cast<const Words4*>(stage) + lane;
  const auto* inputs = reinterpret_cast<const Words4*>(stage + Tile::weightBytes);
  FORETRACE_UNROLL
  for (int half = 0; half < 2; ++half) {
    Words4 b[Tile::rowTiles];
    FORETRACE_UNROLL
    for (int n = 0; n < Tile::rowTiles; ++n) {
      const int row = (rowWarp * Tile::rowTiles + n) * 8 + lane / 4;
      b[n] = inputs[(half * Tile::rows + row) * 4 + lane % 4];
    }
    FORETRACE_UNROLL
    for (int step = 0; step < 2; ++step) {
      FORETRACE_UNROLL
      for (int m = 0; m < Tile::outTiles; ++m) {
        const int tile = outWarp * Tile::outTiles + m;
        const Words4 a = weights[((tile * 2 + half) * 2 + step) * 32];
        FORETRACE_UNROLL
        for (int n = 0; n < Tile::rowTiles; ++n) {
          mma(sum[m][n], a.x, a.y, a.z, a.w, step == 0 ? b[n].x : b[n].z, step == 0 ? b[n].y : b[n].w);
        }
      }
    }
  }
}

/// Sums over the blocks of depth [begin, end), with Tile::stages - 1 of them on their way.
template <class Tile>
FORETRACE_DEVICE void multiplyRange(const GemmParameters& p, int begin, int end, int outWarp, int rowWarp, int lane,
                                    float (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  char* shared = sharedMemory();
  for (int stage = 0; stage < Tile::stages - 1; ++stage) {
    if (begin + stage < end) loadStage<Tile>(p, shared + stage * Tile::stageBytes, begin + stage);
    commitCopies();
  }
  for (int block = begin; block < end; ++block) {
    waitCopies<Tile::stages - 2>();
    syncThreads();  // what `block` needs is there for all; what block - 1 used may be overwritten
    const int next = block + Tile::stages - 1;
    if (next < end) loadStage<Tile>(p, shared + (next - begin) % Tile::stages * Tile::stageBytes, next);
    commitCopies();
    multiplyStage<Tile>(shared + (block - begin) % Tile::stages * Tile::stageBytes, outWarp, rowWarp, lane, sum);
  }
  waitCopies<0>();
  syncThreads();  // the next range starts from an empty pipeline
}

template <class Tile>
FORETRACE_DEVICE void storeTile(const GemmParameters& p, int split, int outWarp, int rowWarp, int lane,
                                const float (&sum)[Tile::outTiles][Tile::rowTiles][4]) {
  float* output = p.output + (p.sequentialSplits ? 0 : split * p.splitStride);
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
        float* to = output + row * p.outputStride + out;
        *to = accumulate ? add(*to, sum[m][n][element]) : sum[m][n][element];
      }
    }
  }
}

/// Grid: (row blocks, output blocks, splits or 1 when they are sequential).
template <class Tile>
__global__ void __launch_bounds__(Tile::threads) gemmKernel(const GemmParameters p) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int outWarp = warp % Tile::warpsOut;
  const int rowWarp = warp / Tile::warpsOut;
  const int first = p.sequentialSplits ? 0 : static_cast<int>(blockIdx.z);
  const int last = p.sequentialSplits ? p.splits - 1 : first;
  for (int split = first; split <= last; ++split) {
    float sum[Tile::outTiles][Tile::rowTiles][4] = {};
    multiplyRange<Tile>(p, splitBegin(p.depthBlocks, p.splits, split), splitBegin(p.depthBlocks, p.splits, split + 1), outWarp,
                        rowWarp, lane, sum);
    storeTile<Tile>(p, split, outWarp, rowWarp, lane, sum);
  }
}

}  // namespace foretrace::cuda
