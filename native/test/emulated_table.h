// The kernels of AMX on the emulated tile unit, beside portable ones: the sources are those that run on processors that have it.
#pragma once

#include <cstdint>

#include "cpu/kernels.h"
#include "test/emulated_tiles.h"

namespace foretrace::cpu {
namespace {

#include "cpu/kernels_portable.inc"

#include "cpu/kernels_table.inc"
#include "cpu/kernels_tile.inc"
#include "cpu/kernels_attention_tile.inc"

/// Unsigned activations, as tables with unsigned products write them.
void roundUnsigned(const RowSource& row, float* scratch, std::uint8_t* out, float* scale) {
  roundInt8(row, scratch, out, scale);
  for (std::int64_t i = 0; i < paddedTo(row.panels * panelColumns, blockBytes); ++i) out[i] ^= 0x80U;
}

KernelTable emulatedTable() {
  KernelTable tiles = withTiles<test::EmulatedTiles>(table);
  tiles.gatedRows = 1;
  tiles.roundInt8 = roundUnsigned;
  tiles.productInt8 = tileProduct<test::EmulatedTiles, Int8Tile>;
  return tiles;
}

}  // namespace
}  // namespace foretrace::cpu
