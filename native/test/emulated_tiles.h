// The AMX tile unit as plain C++, after the operation sections of the Intel SDM, volume 2 (LDTILECFG, TILEZERO, TILELOADD,
// TILELOADDT1, TILESTORED, TDPBUSD, TDPBF16PS, TILERELEASE). What the processor answers with a fault is counted.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace foretrace::test {

struct TileRegister {
  int rows = 0;
  int columnBytes = 0;
  std::uint8_t data[16][64] = {};
};

class EmulatedTiles {
 public:
  static inline long faults = 0;       ///< what would have been an exception
  static inline long multiplications = 0;
  static inline bool configured = false;

  /// `configuration`: the 64 bytes of LDTILECFG.
  static void configure(const void* configuration) {
    std::uint8_t bytes[64];
    std::memcpy(bytes, configuration, sizeof bytes);
    require(reinterpret_cast<std::uintptr_t>(configuration) % 64 == 0);  // not demanded by the processor, but by speed
    require(bytes[0] == 1);  // the only palette that gives registers
    for (int i = 2; i < 16; ++i) require(bytes[i] == 0);
    for (int tile = 0; tile < 16; ++tile) {
      const int columns = bytes[16 + 2 * tile] + 256 * bytes[17 + 2 * tile];
      const int rows = bytes[48 + tile];
      require(tile < 8 ? rows <= 16 && columns <= 64 : rows == 0 && columns == 0);
      require((rows == 0) == (columns == 0));
      if (tile < 8) registers[tile] = {rows, columns, {}};
    }
    configured = true;
  }
  static void release() {
    require(configured);
    configured = false;
    for (Register& tile : registers) tile = {};
  }
  template <int Tile>
  static void zero() {
    require(usable(Tile));
    std::memset(registers[Tile].data, 0, sizeof registers[Tile].data);
  }
  template <int Tile>
  static void load(const void* from, std::int64_t stride) {
    require(usable(Tile));
    Register& tile = registers[Tile];
    std::memset(tile.data, 0, sizeof tile.data);
    for (int row = 0; row < tile.rows; ++row) {
      std::memcpy(tile.data[row], static_cast<const std::uint8_t*>(from) + row * stride, static_cast<std::size_t>(tile.columnBytes));
    }
  }
  template <int Tile>
  static void loadOnce(const void* from, std::int64_t stride) {
    load<Tile>(from, stride);
  }
  template <int Tile>
  static void store(void* to, std::int64_t stride) {
    require(usable(Tile));
    const Register& tile = registers[Tile];
    for (int row = 0; row < tile.rows; ++row) {
      std::memcpy(static_cast<std::uint8_t*>(to) + row * stride, tile.data[row], static_cast<std::size_t>(tile.columnBytes));
    }
  }
  /// TDPBUSD: unsigned bytes of A by signed bytes of B, sums modulo 2^32.
  template <int Sum, int Rows, int Weights>
  static void multiplyInt8() {
    if (!matching(Sum, Rows, Weights)) return;
    Register& c = registers[Sum];
    for (int m = 0; m < c.rows; ++m) {
      for (int k = 0; k < registers[Rows].columnBytes / 4; ++k) {
        for (int n = 0; n < c.columnBytes / 4; ++n) {
          std::uint32_t sum = word(c, m, n);
          for (int i = 0; i < 4; ++i) {
            const auto a = static_cast<std::int32_t>(registers[Rows].data[m][4 * k + i]);
            const auto b = static_cast<std::int32_t>(static_cast<std::int8_t>(registers[Weights].data[k][4 * n + i]));
            sum += static_cast<std::uint32_t>(a * b);
          }
          setWord(c, m, n, sum);
        }
      }
    }
  }
  /// TDPBF16PS: even and odd products are summed apart by fused operations from zero, added to each other, then to C;
  /// denormals count as zero on the way in and out, rounding is to nearest.
  template <int Sum, int Rows, int Weights>
  static void multiplyBf16() {
    if (!matching(Sum, Rows, Weights)) return;
    Register& c = registers[Sum];
    for (int m = 0; m < c.rows; ++m) {
      for (int n = 0; n < c.columnBytes / 4; ++n) {
        float even = 0;
        float odd = 0;
        for (int k = 0; k < registers[Rows].columnBytes / 4; ++k) {
          const std::uint32_t a = word(registers[Rows], m, k);
          const std::uint32_t b = word(registers[Weights], k, n);
          even = flushed(std::fma(half(a << 16), half(b << 16), even));
          odd = flushed(std::fma(half(a & 0xFFFF0000U), half(b & 0xFFFF0000U), odd));
        }
        const float pair = flushed(even + odd);
        const float before = flushed(std::bit_cast<float>(word(c, m, n)));
        setWord(c, m, n, std::bit_cast<std::uint32_t>(flushed(before + pair)));
      }
    }
  }

 private:
  using Register = TileRegister;
  static inline Register registers[8] = {};

  static void require(bool holds) { faults += holds ? 0 : 1; }
  static bool usable(int tile) { return configured && registers[tile].rows > 0 && registers[tile].columnBytes > 0; }
  /// The conditions of the dot products: three different tiles whose sizes fit.
  static bool matching(int sum, int rows, int weights) {
    const Register& c = registers[sum];
    const Register& a = registers[rows];
    const Register& b = registers[weights];
    const bool holds = sum != rows && sum != weights && rows != weights && usable(sum) && usable(rows) && usable(weights) &&
                       a.rows == c.rows && b.columnBytes == c.columnBytes && a.columnBytes % 4 == 0 &&
                       a.columnBytes / 4 == b.rows;
    require(holds);
    ++multiplications;
    return holds;
  }
  static std::uint32_t word(const Register& tile, int row, int column) {
    std::uint32_t value = 0;
    std::memcpy(&value, &tile.data[row][4 * column], sizeof value);
    return value;
  }
  static void setWord(Register& tile, int row, int column, std::uint32_t value) {
    std::memcpy(&tile.data[row][4 * column], &value, sizeof value);
  }
  static float half(std::uint32_t bits) { return flushed(std::bit_cast<float>(bits)); }
  static float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
  }
};

}  // namespace foretrace::test
