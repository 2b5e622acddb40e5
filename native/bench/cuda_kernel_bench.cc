#include "bench/cuda_kernel_bench.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>

#include "bench/cuda_peaks.h"
#include "cuda/attention_plan.h"
#include "cuda/launch.h"
#include "cuda/products.h"
#include "cuda/staging.h"

namespace foretrace::bench {
namespace {

constexpr int repeats = 9;
constexpr int heads = 32;
constexpr int kvHeads = 8;
constexpr int headDim = 128;
constexpr int pageTokens = 16;

/// Several copies of one matrix, together larger than any cache.
class RotatingMatrix {
 public:
  RotatingMatrix(std::int32_t outs, std::int32_t depth, cuda::WeightFormat format, cudaStream_t stream) : shape_(cuda::gemmShape(outs, depth, format)) {
    const std::int64_t copies = std::max<std::int64_t>(2, (std::int64_t{256} << 20) / shape_.packedBytes());
    const cuda::DeviceBuffer<float> scale(shape_.scales(), "scales");
    for (std::int64_t i = 0; i < copies; ++i) {
      copies_.emplace_back(shape_.packedBytes(), "weights");
      copies_.back().clear(stream, "weights");
      cuda::launchRandom({copies_.back().data(), scale.data(), format, static_cast<std::uint64_t>(i), 0.03F, outs, depth, shape_.depthBlocks}, stream);
    }
    cuda::check(cudaStreamSynchronize(stream), "weights");  // products do not wait for them
  }
  [[nodiscard]] const cuda::GemmShape& shape() const { return shape_; }
  [[nodiscard]] const std::uint8_t* next() { return copies_[turn_++ % copies_.size()].data(); }

 private:
  cuda::GemmShape shape_;
  std::vector<cuda::DeviceBuffer<std::uint8_t>> copies_;
  std::size_t turn_ = 0;
};

KernelResult measureGemm(const std::string& name, RotatingMatrix& matrix, int rows, bool warpgroups, const Peaks& peaks, cudaStream_t stream) {
  const cuda::GemmShape& shape = matrix.shape();
  // Rows of random numbers: the clock of a GPU that multiplies zeros is higher than it ever is at work.
  const cuda::GemmShape rowShape = cuda::gemmShape((rows + 127) / 128 * 128, shape.depth, shape.format);
  const cuda::DeviceBuffer<float> scale(rowShape.scales(), "scales");
  cuda::DeviceBuffer<std::uint8_t> input(rowShape.packedBytes(), "input");
  input.clear(stream, "input");
  cuda::launchRandom({input.data(), scale.data(), shape.format, 99, 1.0F, rowShape.outs, rowShape.depth, rowShape.depthBlocks}, stream);
  cuda::check(cudaStreamSynchronize(stream), "input");
  const bool sequential = cuda::splitsAreSequential(rows);
  const std::int64_t splitStride = rows * shape.outputStride();
  const cuda::DeviceBuffer<float> output((sequential ? 1 : shape.splits) * splitStride, "output");
  const double seconds = deviceSeconds(stream, repeats, [&] {
    cuda::launchGemm({matrix.next(), input.data(), output.data(), shape.outputStride(), splitStride, rowShape.outs / 8, rows, shape.depthBlocks,
                      shape.splits, sequential, shape.format, warpgroups}, shape, stream);
  });
  const double bytes = static_cast<double>(shape.packedBytes());
  const double operations = 2.0 * rows * shape.outs * static_cast<double>(shape.depth);
  return {name + ", rows " + std::to_string(rows), seconds, bytes / seconds / peaks.bandwidth, operations / seconds / peaks.operations, operations / seconds};
}

/// `sequences` rows at position `context`, the first `shared` tokens in common pages, the others in pages of their own.
ForwardBatch decodeBatch(std::int32_t sequences, std::int32_t context, std::int32_t shared, std::int32_t& pages) {
  ForwardBatch batch;
  pages = shared / pageTokens;
  for (std::int32_t s = 0; s < sequences; ++s) {
    std::vector<std::int32_t> table;
    for (std::int32_t token = 0; token <= context; token += pageTokens) table.push_back(token < shared ? token / pageTokens : pages++);
    batch.add({s, context, std::vector<std::int32_t>{0}, table, LogitRows::last});
  }
  return batch;
}

KernelResult measureAttention(const std::string& name, std::int32_t context, std::int32_t prefix, bool share, std::int32_t window,
                              bool bulk, const Peaks& peaks, cudaStream_t stream) {
  std::int32_t pages = 0;
  const ForwardBatch batch = decodeBatch(64, context, prefix, pages);
  cuda::AttentionPlan plan({heads / kvHeads, pageTokens, pages, 1 << 20, share, kvHeads});
  plan.build(batch);
  const cuda::StagingLayout layout = cuda::stagingLayout(batch, plan);
  std::vector<std::int32_t> words(layout.words);
  cuda::fillStaging(batch, plan, pageTokens, layout, words);
  const cuda::DeviceBuffer<std::int32_t> staged(static_cast<std::int64_t>(layout.words), "work list");
  cuda::check(cudaMemcpyAsync(staged.data(), words.data(), staged.bytes(), cudaMemcpyHostToDevice, stream), "work list");
  cuda::check(cudaStreamSynchronize(stream), "work list");
  cuda::DeviceBuffer<std::uint16_t> keyValue(std::int64_t{pages} * kvHeads * 2 * pageTokens * headDim, "pool");
  keyValue.clear(stream, "pool");
  cuda::DeviceBuffer<std::uint16_t> query(std::int64_t{batch.rows()} * heads * headDim, "queries");
  query.clear(stream, "queries");
  const cuda::GemmShape mixedShape = cuda::gemmShape(1, heads * headDim);
  const cuda::DeviceBuffer<std::uint8_t> mixed(mixedShape.inputBytes(batch.rows()), "results");
  const cuda::MixedTarget target{{mixed.data(), cuda::rowGroups(batch.rows())}, nullptr};
  const std::int64_t partials = std::int64_t{batch.rows()} * (context / cuda::chunkTokens + 1);
  const cuda::DeviceBuffer<float> output(partials * heads * headDim, "partial results");
  const cuda::DeviceBuffer<float> state(partials * heads * 2, "partial states");
  const std::int32_t* base = staged.data();
  const auto scale = static_cast<float>(1.4426950408889634 / std::sqrt(static_cast<double>(headDim)));
  const double seconds = deviceSeconds(stream, repeats, [&] {
    cuda::launchAttention({query.data(), keyValue.data(), reinterpret_cast<const cuda::AttentionItem*>(base + layout.items), base + layout.itemRows,
                           base + layout.positions, base + layout.pages, base + layout.partialBegin, output.data(), state.data(), target,
                           heads, kvHeads, headDim, std::countr_zero(static_cast<unsigned>(pageTokens)), window, scale, plan.fewSlots(), bulk},
                          static_cast<int>(plan.items().size()), headDim, stream);
    cuda::launchMerge({base + layout.mergeRows, base + layout.partialBegin, base + layout.positions, output.data(), state.data(), target,
                       static_cast<int>(plan.mergeRows().size()), heads, headDim, headDim, window}, stream);
  });
  const double seen = window > 0 ? std::min(1.0, static_cast<double>(window) / (context + 1)) : 1.0;
  const double bytes = 2.0 * static_cast<double>(keyValue.size()) * seen;
  return {name, seconds, bytes / seconds / peaks.bandwidth, 0, 0};
}

}  // namespace

std::vector<KernelResult> benchGemm(const Peaks& peaks, bool quick, cudaStream_t stream) {
  cuda::prepareGemm();
  const bool warpgroups = cuda::usesWarpgroups("auto", stream);
  std::vector<KernelResult> results;
  struct Matrix {
    const char* name;
    std::int32_t outs;
    std::int32_t depth;
    bool large;  ///< at many rows too
  };
  for (const Matrix& matrix : {Matrix{"1B qkv", 3072, 2048, false}, Matrix{"1B down", 2048, 8192, false}, Matrix{"8B qkv", 6144, 4096, true},
                               Matrix{"8B gate, up", 28672, 4096, true}, Matrix{"8B down", 4096, 14336, true}, Matrix{"32B gate, up", 43008, 6144, false}}) {
    RotatingMatrix weights(matrix.outs, matrix.depth, cuda::WeightFormat::bf16, stream);
    for (const int rows : {1, 64, 128, 512, 2048}) {
      if (rows > 1 && !matrix.large) continue;
      if (quick && rows > 64 && rows < 2048) continue;
      results.push_back(measureGemm(matrix.name, weights, rows, warpgroups, peaks, stream));
      if (warpgroups) results.push_back(measureGemm(std::string(matrix.name) + ", mma.sync", weights, rows, false, peaks, stream));
    }
  }
  for (const cuda::WeightFormat format : {cuda::WeightFormat::int8, cuda::WeightFormat::fp8}) {
    if (format == cuda::WeightFormat::fp8 && !warpgroups) continue;
    RotatingMatrix weights(28672, 4096, format, stream);
    const std::string name = std::string("8B gate, up, ") + cuda::weightFormatName(format);
    for (const int rows : {1, 64, 2048}) results.push_back(measureGemm(name, weights, rows, warpgroups, peaks, stream));
  }
  return results;
}

std::vector<KernelResult> benchAttention(const Peaks& peaks, cudaStream_t stream) {
  cuda::prepareGemm();  // which lets launches overlap
  cuda::prepareAttention();
  const bool bulk = cuda::usesWarpgroups("auto", stream);
  const auto measure = [&](const char* name, std::int32_t context, std::int32_t prefix, bool share, std::int32_t window) {
    return measureAttention(name, context, prefix, share, window, bulk, peaks, stream);
  };
  return {measure(pagedDecode, 4095, 0, true, 0), measure("attention, 64 x 1024 tokens", 1023, 0, true, 0),
          measure("attention, 64 x 4096 tokens, window 1024", 4095, 0, true, 1024), measure(sharedPrefix, 2100, 2048, true, 0),
          measure(unsharedPrefix, 2100, 0, false, 0), measure("attention, 64 over 2048 in common pages, read by each", 2100, 2048, false, 0)};
}

const KernelResult& resultNamed(const std::vector<KernelResult>& results, const std::string& name) {
  for (const KernelResult& result : results) {
    if (result.name == name) return result;
  }
  throw Error(ErrorCode::internal, "no measurement \"" + name + "\"");
}

}  // namespace foretrace::bench
