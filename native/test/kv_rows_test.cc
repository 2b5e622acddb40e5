// Rows of keys and values into pages of bf16: where they come to lie, and that nothing beside them changes.
#include <cstring>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "cpu/kv_pool.h"
#include "test/kernel_tables.h"

namespace foretrace {
namespace {

using cpu::AlignedBuffer;
using test::NamedTable;
using test::Random;
using test::tables;

/// What KvPool::writeKey and writeValue make of rows, one by one, beside what a kernel makes of them at once.
void checkRows(const NamedTable& table, std::int32_t headDim, std::int32_t pageTokens, std::int32_t slot, std::int32_t count) {
  ModelConfig config;
  config.layers = config.kvHeads = config.heads = 1;
  config.headDim = headDim;
  const PoolConfig sizes{.pages = 2, .pageTokens = pageTokens};
  cpu::KvPool expected(config, sizes, true);
  cpu::KvPool found(config, sizes, true);
  const auto bytes = static_cast<std::size_t>(2 * sizes.pages * found.pageStride());
  std::memset(expected.keys(0, 0), 0xA5, bytes);  // what was there before
  std::memset(found.keys(0, 0), 0xA5, bytes);
  const std::int64_t stride = cpu::padded(headDim) * 4;  // as the device has them: rounded where fp32 stood
  AlignedBuffer<std::uint8_t> rows(count * stride + 64, "rows");
  Random random(static_cast<std::uint64_t>(headDim * 1000 + slot * 40 + count));
  for (std::int64_t i = 0; i < rows.size(); ++i) rows.data()[i] = static_cast<std::uint8_t>(random.below(256));
  for (std::int32_t row = 0; row < count; ++row) {
    expected.writeKey(0, 0, 1, slot + row, rows.data() + row * stride);
    expected.writeValue(0, 0, 1, slot + row, rows.data() + row * stride);
  }
  cpu::KvRows task{rows.data(), stride, count, found.keys(0, 0) + found.pageStride(), slot, pageTokens, headDim};
  table.kernels->storeKeys(task);
  task.page = found.values(0, 0) + found.pageStride();
  table.kernels->storeValues(task);
  CHECK_THAT(std::memcmp(found.keys(0, 0), expected.keys(0, 0), bytes) == 0,
             table.name + " heads of " + std::to_string(headDim) + ", pages of " + std::to_string(pageTokens) + ", " +
                 std::to_string(count) + " rows from slot " + std::to_string(slot));
}

TEST("rows come to lie as they do one by one, on every instruction set") {
  for (const NamedTable& table : tables()) {
    for (const std::int32_t headDim : {2, 18, 32, 64, 80, 128}) {
      for (const std::int32_t pageTokens : {4, 16, 64}) {
        for (std::int32_t slot = 0; slot < pageTokens; slot += 3) {
          for (std::int32_t count = 1; slot + count <= pageTokens; count += count < 5 ? 1 : 7) {
            checkRows(table, headDim, pageTokens, slot, count);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
