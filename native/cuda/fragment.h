// Where matrix elements live: in the registers of a warp, in the memory of weights and of activations. Used by kernels, by
// the packing and by tests alike.
//
// Weights and activations are stored as core matrices: 8 rows of 16 bytes, 128 contiguous bytes. That is what ldmatrix reads
// as one 8 x 8 matrix without bank conflicts, and what the matrix descriptors of wgmma address without a swizzle: both
// kinds of tensor core instruction work from the same bytes, and a plain copy brings them to shared memory.
#pragma once

#include <cstdint>

#include "cuda/portable.h"

namespace foretrace::cuda {

/// Number format of the weights and the rows they multiply. bf16: fp32 sums. int8: a scale for each output and each row, sums
/// in int32. fp8 (e4m3): scales as for int8, fp32 sums.
enum class WeightFormat : std::uint8_t { bf16, int8, fp8 };

[[nodiscard]] FORETRACE_HD constexpr int elementBytes(WeightFormat format) { return format == WeightFormat::bf16 ? 2 : 1; }

/// Outputs (rows of a weight matrix) one block of a GEMM computes.
inline constexpr int outsPerBlock = 128;
/// Bytes of depth (columns of a weight matrix) one pipeline stage holds: 64 bf16 or 128 elements of one byte.
inline constexpr int depthBytes = 128;
/// One stored block of weights: outsPerBlock x depthBytes, contiguous.
inline constexpr int weightBlockBytes = outsPerBlock * depthBytes;
/// 8 rows x 16 bytes.
inline constexpr int coreBytes = 128;
/// Rows of activations that are stored together, and the bytes they take for one block of depth.
inline constexpr int rowsPerGroup = 8;
inline constexpr int groupBytes = rowsPerGroup * depthBytes;
/// Bytes of depth one tensor core instruction multiplies.
inline constexpr int stepBytes = 32;
inline constexpr int stepsPerBlock = depthBytes / stepBytes;

/// Place of a byte within the core matrices of 8 rows and one block of depth: [piece of 16 bytes][row 8][byte 16].
[[nodiscard]] FORETRACE_HD constexpr std::int64_t coreOffset(std::int64_t row, std::int64_t byte) {
  return byte % depthBytes / 16 * coreBytes + row % 8 * 16 + byte % 16;
}

/// Place of byte `byte` of the depth of output `out` in a packed matrix of `depthBlocks` blocks of depth:
/// [out / 128][byte / 128][out / 8 % 16][core matrices].
[[nodiscard]] FORETRACE_HD constexpr std::int64_t packedOffset(std::int64_t out, std::int64_t byte, std::int64_t depthBlocks) {
  const std::int64_t block = out / outsPerBlock * depthBlocks + byte / depthBytes;
  return block * weightBlockBytes + out % outsPerBlock / 8 * groupBytes + coreOffset(out, byte);
}

/// Place of byte `byte` of an activation row in a buffer of `groups` groups of 8 rows: [byte / 128][row / 8][core matrices].
/// The rows of a tile lie together for every block of depth.
[[nodiscard]] FORETRACE_HD constexpr std::int64_t rowOffset(std::int64_t row, std::int64_t byte, std::int64_t groups) {
  return (byte / depthBytes * groups + row / rowsPerGroup) * groupBytes + coreOffset(row, byte);
}

/// Groups of 8 rows that hold `rows` rows.
[[nodiscard]] FORETRACE_HD constexpr int rowGroups(int rows) { return (rows + rowsPerGroup - 1) / rowsPerGroup; }

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

/// Operand A of mma.m16n8k32 with elements of one byte: place of element 0 .. 15 of a lane (PTX ISA, "Matrix Fragments for
/// mma.m16n8k32").
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex operandA8(int lane, int element) {
  return {lane / 4 + element / 4 % 2 * 8, lane % 4 * 4 + element % 4 + element / 8 * 16};
}

/// Operand B of mma.m16n8k32 (32 rows = reduction, 8 columns): place of element 0 .. 7 of a lane.
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex operandB8(int lane, int element) {
  return {lane % 4 * 4 + element % 4 + element / 4 * 16, lane / 4};
}

/// Accumulator (16 rows, 8 columns): place of element 0 .. 3 of a lane.
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex accumulator(int lane, int element) {
  return {lane / 4 + element / 2 * 8, lane % 4 * 2 + element % 2};
}

/// Accumulator of wgmma.m64nN (64 rows, N columns): place of element i of a thread of the warpgroup (PTX ISA, "Accumulator
/// D" of wgmma.mma_async): warp w has the rows 16 w .. 16 w + 15, each 8 columns as accumulator() above.
[[nodiscard]] FORETRACE_HD constexpr FragmentIndex warpgroupAccumulator(int thread, int element) {
  const FragmentIndex at = accumulator(thread % 32, element % 4);
  return {thread / 32 * 16 + at.row, element / 4 * 8 + at.column};
}

/// The reduction index, 0 .. 31, that operand index `k` (0 .. 15) of step 0 or 1 stands for in attention. Two steps cover 32
/// indices in an order in which the lanes of column q hold 8 consecutive ones, 8 q .. 8 q + 7: one 16-byte read of a plain
/// row fills operand B of both steps. A sum does not care as long as both operands agree.
[[nodiscard]] FORETRACE_HD constexpr int depthOf(int step, int k) {
  return k % 8 / 2 * 8 + step * 4 + k / 8 * 2 + k % 2;
}

}  // namespace foretrace::cuda
