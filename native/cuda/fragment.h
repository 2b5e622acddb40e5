// Where matrix elements live in the registers of a warp, and the order in which weights are stored so that a lane loads
// its registers with one 16-byte read. Used by kernels, by the packing and by tests alike.
#pragma once

#include <cstdint>

#include "cuda/portable.h"

namespace foretrace::cuda {

/// Outputs (rows of a weight matrix) one block of a GEMM computes.
inline constexpr int outsPerBlock = 128;
/// Depth (columns of a weight matrix) one pipeline stage holds.
inline constexpr int depthPerBlock = 64;
/// bf16 elements of one stored block: outsPerBlock x depthPerBlock, contiguous (16 KiB).
inline constexpr int elementsPerBlock = outsPerBlock * depthPerBlock;

struct FragmentIndex {
  int row;
  int column;
};

/// Operand A of mma.m16n8k16 (16 rows, 16 columns = reduction): place of element 0 .. 7 of a lane (PTX ISA, "Matrix
/// Fragments for mma.m16n8k16 with floating point type").
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex operandA(int lane, int element) {
  return {lane / 4 + element / 2 % 2 * 8, lane % 4 * 2 + element % 2 + element / 4 * 8};
}

/// Operand B (16 rows = reduction, 8 columns): place of element 0 .. 3 of a lane.
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex operandB(int lane, int element) {
  return {lane % 4 * 2 + element % 2 + element / 2 * 8, lane / 4};
}

/// Accumulator (16 rows, 8 columns): place of element 0 .. 3 of a lane.
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex accumulator(int lane, int element) {
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

/// The reduction index, 0 .. 31, that operand index `k` (0 .. 15) of step 0 or 1 stands for. Two steps cover 32 indices
/// in an order in which the lanes of column q hold 8 consecutive ones, 8 q .. 8 q + 7: one 16-byte read of a plain row
/// fills operand B of both steps. A sum does not care as long as both operands agree.
[[nodiscard]] FORETRACE_HD constexpr int depthOf(int step, int k) {
  return k % 8 / 2 * 8 + step * 4 + k / 8 * 2 + k % 2;
}

/// Position of element (out, depth) in a packed matrix of `depthBlocks` blocks of depth:
/// [out / 128][depth / 64][16-row tile 8][32-column half 2][step 2][lane 32][element 8].
[[nodiscard]] FORETRACE_HD constexpr std::int64_t packedOffset(std::int64_t out, std::int64_t depth,
                                                              std::int64_t depthBlocks) {
  const std::int64_t block = out / outsPerBlock * depthBlocks + depth / depthPerBlock;
  const std::int64_t tile = out % outsPerBlock / 16;
  const std::int64_t half = depth % depthPerBlock / 32;
  const std::int64_t step = depth / 4 % 2;
  const std::int64_t lane = out % 8 * 4 + depth / 8 % 4;
  const std::int64_t element = depth / 2 % 2 * 4 + out / 8 % 2 * 2 + depth % 2;
  return block * elementsPerBlock + ((tile * 2 + half) * 2 + step) * 256 + lane * 8 + element;
}

}  // namespace foretrace::cuda
