#include "cuda/products.h"

#include <cmath>
#include <vector>

#include "core/error.h"
#include "cuda/buffer.h"
#include "cuda/launch.h"

namespace foretrace::cuda {
namespace {

/// The small product: two blocks of outputs, enough depth to go round every pipeline, rows that fill no tile.
constexpr std::int32_t checkedOuts = 256;
constexpr std::int32_t checkedDepth = 1024;
constexpr std::int32_t checkedRows = 13;

std::vector<float> product(const GemmShape& shape, const void* weights, const void* rows, bool warpgroups, cudaStream_t stream) {
  const std::int64_t count = checkedRows * shape.outputStride();
  const DeviceBuffer<float> output(count, "result of the checked product");
  launchGemm({weights, rows, output.data(), shape.outputStride(), count, rowGroups(checkedRows), checkedRows, shape.depthBlocks,
              shape.splits, true, shape.format, warpgroups}, shape, stream);
  std::vector<float> found(static_cast<std::size_t>(count));
  check(cudaMemcpyAsync(found.data(), output.data(), output.bytes(), cudaMemcpyDeviceToHost, stream), "copy of the checked product");
  check(cudaStreamSynchronize(stream), warpgroups ? "a product with wgmma (products: \"mma\" does without)" : "a product");
  return found;
}

/// Whether both kinds of instruction compute the same small product, as far as fp32 sums reach.
bool productsAgree(cudaStream_t stream) {
  const GemmShape shape = gemmShape(checkedOuts, checkedDepth);
  const GemmShape rowShape = gemmShape(rowGroups(checkedRows) * rowsPerGroup, checkedDepth);
  DeviceBuffer<std::uint8_t> weights(shape.packedBytes(), "weights of the checked product");
  DeviceBuffer<std::uint8_t> rows(shape.inputBytes(checkedRows), "rows of the checked product");
  weights.clear(stream, "weights of the checked product");
  DeviceBuffer<std::uint8_t> packedRows(rowShape.packedBytes(), "rows of the checked product");
  packedRows.clear(stream, "rows of the checked product");
  launchRandom({weights.data(), nullptr, shape.format, 1, 1.0F, checkedOuts, checkedDepth, shape.depthBlocks}, stream);
  launchRandom({packedRows.data(), nullptr, shape.format, 2, 1.0F, checkedRows, checkedDepth, shape.depthBlocks}, stream);
  // A block of packed weights begins with its first groups of rows, as they lie in a buffer of rows.
  const auto groups = static_cast<std::size_t>(rowGroups(checkedRows)) * groupBytes;
  check(cudaMemcpy2DAsync(rows.data(), groups, packedRows.data(), weightBlockBytes, groups, static_cast<std::size_t>(shape.depthBlocks),
                          cudaMemcpyDeviceToDevice, stream), "rows of the checked product");
  const std::vector<float> plain = product(shape, weights.data(), rows.data(), false, stream);
  const std::vector<float> grouped = product(shape, weights.data(), rows.data(), true, stream);
  float largest = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (!(std::abs(plain[i] - grouped[i]) <= 1e-3F * std::sqrt(static_cast<float>(checkedDepth)))) return false;
    largest = std::max(largest, std::abs(plain[i]));
  }
  return largest > 1.0F;
}

}  // namespace

void requireFormat(WeightFormat format, const DeviceProperties& properties) {
  if (format != WeightFormat::fp8 || properties.capability >= 89) return;
  throw Error(ErrorCode::unsupported_device, "dtype fp8 on " + properties.name, "compute capability 8.9 or newer",
              std::to_string(properties.capability / 10) + "." + std::to_string(properties.capability % 10));
}

bool usesWarpgroups(const std::string& products, cudaStream_t stream) {
  if (products == "mma") return false;
  if (products != "auto" && products != "wgmma") {
    throw Error(ErrorCode::invalid_argument, "products on cuda", "auto, mma or wgmma", "\"" + products + "\"");
  }
  const bool there = warpgroupsCompiled();
  if (products == "auto") return there && productsAgree(stream);
  if (!there) throw Error(ErrorCode::unsupported_device, "products wgmma", "compute capability 9.0 and a build for sm_90a", "another GPU or build");
  return true;
}

}  // namespace foretrace::cuda
