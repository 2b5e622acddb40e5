// One product of rows and a packed matrix, whatever its number format.
#pragma once

#include <cstdint>

#include "cpu/kernels.h"
#include "cpu/packed_weights.h"

namespace foretrace::cpu {

/// Rows of activations in the form that weights of one type want: fp32, or what roundBf16 or roundInt8 wrote.
struct InputRows {
  const std::uint8_t* data = nullptr;
  std::int64_t stride = 0;        ///< bytes
  const float* scales = nullptr;  ///< [rows], int8 only
};

/// Where a product goes, and how.
struct Target {
  PanelRows rows;
  Outcome outcome;
};

/// target = rows [firstRow, firstRow + rows) of `input` times the columns of panels [panel, panel + panels).
inline void multiply(const KernelTable& kernels, const InputRows& input, std::int32_t firstRow, std::int32_t rows,
                     const PackedMatrix& matrix, std::int32_t panel, std::int32_t panels, const Target& target) {
  const std::uint8_t* a = input.data + firstRow * input.stride;
  if (matrix.type == WeightType::fp32) {
    kernels.gemm({reinterpret_cast<const float*>(a), input.stride / static_cast<std::int64_t>(sizeof(float)), rows,
                  matrix.depth, reinterpret_cast<const float*>(matrix.panel(panel)), panels, target.rows, target.outcome});
    return;
  }
  ProductTask task{};
  task.a = a;
  task.aStride = input.stride;
  task.rows = rows;
  task.blocks = static_cast<std::int32_t>(matrix.panelBytes / tileBytes);
  task.panels = matrix.panel(panel);
  task.panelCount = panels;
  task.c = target.rows;
  task.outcome = target.outcome;
  if (matrix.type == WeightType::bf16) {
    kernels.productBf16(task);
    return;
  }
  task.aScales = input.scales + firstRow;
  task.scales = matrix.scales.data() + panel * panelColumns;
  task.offsets = matrix.offsets.data() + panel * panelColumns;
  kernels.productInt8(task);
}

}  // namespace foretrace::cpu
