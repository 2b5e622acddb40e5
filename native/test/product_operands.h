// Operands of the products that several tests use.
#pragma once

#include <cstring>
#include <vector>

#include "core/aligned_buffer.h"
#include "cpu/product.h"
#include "test/kernel_tables.h"

namespace foretrace::test {

/// A weight matrix [columns, depth] and rows of activations.
struct Operands {
  std::int32_t rows;
  std::int32_t columns;
  std::int32_t depth;
  std::vector<float> weights;
  cpu::AlignedBuffer<float> a;  ///< [rows, padded(depth)]

  Operands(std::int32_t rowCount, std::int32_t columnCount, std::int32_t reduction)
      : rows(rowCount), columns(columnCount), depth(reduction), weights(static_cast<std::size_t>(columns * depth)),
        a(rows * cpu::padded(depth), "activations") {
    Random random(static_cast<std::uint64_t>(rows * 1000 + columns * 100 + depth));
    fill(weights.data(), columns * depth, random, 0.1);
    for (std::int32_t row = 0; row < rows; ++row) fill(a.data() + row * cpu::padded(depth), depth, random, 1.0 + row);
  }
  /// The rows as they are, for weights of fp32.
  [[nodiscard]] cpu::InputRows rowsOfFp32() const {
    return {reinterpret_cast<const std::uint8_t*>(a.data()), cpu::padded(depth) * static_cast<std::int64_t>(sizeof(float)), nullptr};
  }
  [[nodiscard]] cpu::PackedMatrix pack(WeightType type) const {
    const TensorView view{reinterpret_cast<const std::byte*>(weights.data()), DType::f32, {columns, depth}};
    return cpu::packMatrix(view, type);
  }
};

/// Rounded rows as a table's products want them.
struct Rounded {
  std::int64_t stride;
  cpu::AlignedBuffer<std::uint8_t> data;
  cpu::AlignedBuffer<float> scales;

  Rounded(const cpu::KernelTable& kernels, const Operands& operands, WeightType type)
      : stride(cpu::depthBlocks(type, operands.depth) * cpu::blockBytes),
        data(operands.rows * stride, "rows"), scales(operands.rows, "scales") {
    std::memset(data.data(), 0x55, static_cast<std::size_t>(data.size()));  // the kernel fills the padding
    for (std::int32_t row = 0; row < operands.rows; ++row) {
      const auto from = cpu::RowSource::plain(operands.a.data() + row * cpu::padded(operands.depth), cpu::padded(operands.depth));
      std::uint8_t* to = data.data() + row * stride;
      if (type == WeightType::int8) {
        kernels.roundInt8(from, nullptr, to, scales.data() + row);
      } else {
        kernels.roundBf16(from, to);
      }
    }
  }
  operator cpu::InputRows() const { return {data.data(), stride, scales.data()}; }
};

/// What every element of C holds before a product.
inline constexpr float before = 0.5F;

inline std::vector<float> multiply(const cpu::KernelTable& kernels, const cpu::InputRows& input, const cpu::PackedMatrix& matrix,
                                   std::int32_t firstRow, std::int32_t rows, bool accumulate) {
  const std::int64_t stride = matrix.panels * 16;
  std::vector<float> c(static_cast<std::size_t>(rows * stride), before);
  cpu::multiply(kernels, input, firstRow, rows, matrix, 0, matrix.panels,
                {{c.data(), stride, 16}, accumulate ? cpu::Outcome::added : cpu::Outcome::stored});
  return c;
}

/// The same where the rows of a panel follow each other and panels stand `gap` rows further apart than they must: back in rows, if
/// nothing was written between the panels.
inline std::vector<float> multiplyInPanels(const cpu::KernelTable& kernels, const cpu::InputRows& input, const cpu::PackedMatrix& matrix,
                                           std::int32_t rows, cpu::Outcome outcome, std::int32_t gap) {
  const std::int64_t panelStride = (rows + gap) * 16;
  const std::int64_t panels = outcome == cpu::Outcome::gated ? matrix.panels / 2 : matrix.panels;
  std::vector<float> c(static_cast<std::size_t>(panels * panelStride), before);
  cpu::multiply(kernels, input, 0, rows, matrix, 0, matrix.panels, {{c.data(), 16, panelStride}, outcome});
  std::vector<float> inRows(static_cast<std::size_t>(rows * panels * 16));
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t i = 0; i < panelStride; ++i) {
      const float value = c[static_cast<std::size_t>(panel * panelStride + i)];
      if (i < rows * 16) {
        inRows[static_cast<std::size_t>(i / 16 * panels * 16 + panel * 16 + i % 16)] = value;
      } else if (value != before) {
        return {};
      }
    }
  }
  return inRows;
}

}  // namespace foretrace::test
