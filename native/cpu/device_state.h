// The CPU device itself: what the files that implement its phases share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/aligned_buffer.h"
#include "core/config.h"
#include "core/device.h"
#include "core/rope_table.h"
#include "core/weights.h"
#include "cpu/kernels.h"
#include "cpu/kv_pool.h"
#include "cpu/packed_weights.h"
#include "cpu/product.h"
#include "cpu/profile.h"
#include "cpu/query_tiles.h"
#include "cpu/split.h"
#include "cpu/threads.h"
#include "cpu/weight_type.h"

namespace foretrace::cpu {

/// Most panels of a product's task, where there are several for each thread.
inline constexpr std::int32_t mostPanels = 8;
/// Bytes of weights by rows (and some rows more, for what reading them takes) of a product that every thread computes its share of in one
/// piece: some fifty microseconds. What taking several would cost is more than what a thread that is disturbed loses in it.
inline constexpr std::int64_t shortWork = 40'000'000;
inline constexpr std::int32_t rowsOfReading = 8;
/// Floats of what a projection leaves for several heads at once.
inline constexpr std::int64_t mostTogether = 16384;
/// Rows of a task of the elementwise phases: below that, waking another worker costs more than the work.
inline constexpr std::int32_t elementwiseRows = 8;

[[nodiscard]] constexpr std::int32_t ceilDivide(std::int32_t a, std::int32_t b) noexcept { return (a + b - 1) / b; }

/// Rows that a panel takes the place of: an odd number, so that those of one row in many panels do not compete for the same sets of
/// the caches.
[[nodiscard]] constexpr std::int64_t oddRows(std::int32_t rows) noexcept { return rows | 1; }

/// Panels of a row of so many columns, a multiple of 16.
[[nodiscard]] constexpr std::int32_t panelsOf(std::int64_t columns) noexcept { return static_cast<std::int32_t>(columns / panelColumns); }

/// Rows [first, first + count) of a batch.
struct RowRange {
  std::int32_t first;
  std::int32_t count;
};

/// Blocks of about equal size that the rows of a product are cut into.
struct RowBlocks {
  std::int32_t total = 0;
  std::int32_t count = 0;
  std::int32_t rows = 0;  ///< of every block but the last

  RowBlocks(std::int32_t allRows, const RowShape& shape, const PackedMatrix& matrix) noexcept : total(allRows) {
    const std::int64_t rowBytes = matrix.panelBytes / panelColumns;  // a row takes the bytes of a column
    const std::int64_t fitting = shape.cacheBytes / rowBytes / shape.unit * shape.unit;
    count = ceilDivide(allRows, static_cast<std::int32_t>(std::clamp<std::int64_t>(fitting, shape.unit, shape.mostShared)));
    rows = count == 0 ? 0 : ceilDivide(ceilDivide(allRows, count), shape.unit) * shape.unit;
    count = count == 0 ? 0 : ceilDivide(allRows, rows);
  }
  [[nodiscard]] std::int32_t first(std::int32_t block) const noexcept { return block * rows; }
  [[nodiscard]] std::int32_t size(std::int32_t block) const noexcept { return std::min(rows, total - block * rows); }
};

/// The part of a product's output that one task computes.
struct OutputBlock {
  std::int32_t worker;
  std::int32_t firstRow;
  std::int32_t rows;
  std::int32_t panel;
  std::int32_t panels;
};

/// Rows of fp32 that a product takes, as they stand or normalised.
struct InputSource {
  PanelRows rows;
  std::int64_t width;                   ///< floats of a row, padded
  const float* norm = nullptr;          ///< weights of the RMS norm, if there is one
  const std::int32_t* order = nullptr;  ///< row i of the input is rows[order[i]]; nullptr: rows[i]
};

/// Where such rows are made ready.
struct InputBuffer {
  AlignedBuffer<float> floats;          ///< [rows, widest], fp32 weights only
  AlignedBuffer<std::uint8_t> rounded;  ///< [rows, inputStride], bf16 and int8 only
  AlignedBuffer<float> scales;          ///< [rows]
};

/// The same for the few rows that a thread makes ready for itself.
struct alignas(64) OwnInput {
  std::uint64_t phase = 0;  ///< of which these are
  InputBuffer buffer;
};

/// Heads [first, end) of the merged projection: those of queries, of keys, of values.
struct HeadRange {
  std::int32_t first;
  std::int32_t end;
};

/// Rows of what a projection leaves for a head.
struct HeadRows {
  float* data;
  std::int64_t stride;  ///< floats
};

/// A slot of a page of one head.
struct KvPlace {
  std::int32_t layer;
  std::int32_t head;
  std::int32_t page;
  std::int32_t slot;
};

/// See Device. A pass is divided over the threads by its rows or by the columns of its products, whichever is faster (split.h).
/// Every phase splits its output over tasks, never a sum; an element is computed by one chain of operations
/// whose order depends on shapes and position alone (kernels.h), which makes rows independent of each other bit for bit.
class CpuDevice final : public Device {
 public:
  CpuDevice(const ModelConfig& config, const Weights& weights, const PoolConfig& pool, const KernelTable& kernels,
            const std::string& isa, std::int32_t threads, WeightType type, Profile* profile, std::optional<Split> split);

  [[nodiscard]] const BackendInfo& info() const noexcept override { return info_; }
  void begin(const ForwardBatch& batch) override;
  void embed() override;
  void layer(std::int32_t layer) override;
  void attentionInput(std::int32_t layer) override;
  void attention(std::int32_t layer) override;
  void attentionOutput(std::int32_t layer) override;
  void feedForwardInput(std::int32_t layer) override;
  void feedForwardOutput(std::int32_t layer) override;
  std::span<const float> logits() override;
  void copyPage(std::int32_t from, std::int32_t to, std::int32_t tokens) override { kv_.copyPage(from, to, tokens); }

 private:
  /// Which rows attend together.
  void planQueries();
  /// Whether the last layer goes on with the rows that want logits alone.
  [[nodiscard]] bool narrows() const noexcept { return batch_->wanted() <= rows_ / 4 * 3; }
  /// Goes on with the rows that want logits alone. Nothing reads the others once the last keys and values are written.
  void keepWantedRows();
  /// Calls body(task, worker) for all tasks: over all threads, or on this one where the pass is not divided.
  template <typename Body>
  void each(std::int32_t tasks, const Body& body) {
    if (split_ != Split::solo) return threads_.run(tasks, body);
    for (std::int32_t task = 0; task < tasks; ++task) body(task, 0);
  }

  // Phases by columns (device_columns.cc): all threads compute all rows of a phase, each some of the columns.

  /// Some heads of the merged projection for all rows.
  void projectHeads(std::int32_t layer, HeadRange heads);
  /// residual += input * matrix for all rows.
  void addProduct(const PackedMatrix& matrix, const InputSource& source);
  /// Calls body(OutputBlock, InputRows) for each block of `rows` rows and some panels, an even number, of input * matrix.
  template <typename Body>
  void eachBlock(const PackedMatrix& matrix, std::int32_t rows, const InputSource& source, const Body& body);
  void layerByColumns(std::int32_t layer);
  /// Makes `rows` rows ready for a product and calls body(task, worker, InputRows) for all tasks.
  template <typename Body>
  void eachOfInput(std::int32_t tasks, std::int32_t rows, const InputSource& source, const Body& body);
  /// Whether threads go from the projection of a KV head and its queries to their attention without meeting.
  [[nodiscard]] bool keepsHeads(std::int32_t layer) const noexcept;
  /// Projection and attention, a KV head after the other.
  void attendHeads(std::int32_t layer);

  // Phases by rows (device_rows.cc): a thread takes some of the rows through everything between two attentions, so that what
  // one phase leaves for the next stays in its caches.

  void layerByRows(std::int32_t layer);
  /// Calls body(RowRange, worker) for ranges of all rows.
  template <typename Body>
  void eachRange(const Body& body);
  /// Norm and projection.
  void projectRange(std::int32_t layer, HeadRange heads, RowRange range, std::int32_t worker) noexcept;
  /// What comes behind the attention of a layer.
  void finishRange(std::int32_t layer, RowRange range, std::int32_t worker) noexcept;

  // Parts of both.

  /// Some heads of the merged projection: product, what comes to a head, rotation, writing queries to query_ and keys and values to
  /// pages.
  void project(std::int32_t layer, HeadRange heads, RowRange range, const InputRows& input, std::int32_t worker) noexcept;
  /// Adds the biases of a head to `count` rows of it and puts them through the norm of its kind, where the model has them.
  void finishHeads(const PackedLayer& layer, std::int32_t head, std::int32_t count, const HeadRows& rows) const noexcept;
  /// Turns a query or key of a row by the row's position: where it stands, or on the way to bf16.
  void rotate(std::int32_t row, float* head) const noexcept;
  void rotateBf16(std::int32_t row, const float* head, std::uint8_t* to) const noexcept;
  void writeQueries(std::int32_t head, RowRange range, const HeadRows& rows) noexcept;
  void writeKv(std::int32_t layer, std::int32_t kvIndex, RowRange range, const HeadRows& rows, std::int32_t worker) noexcept;
  /// Rows that follow each other into one page, from a slot on: of fp32, and of bf16.
  void writeFloats(const KvPlace& place, bool areKeys, RowRange range, const HeadRows& rows) noexcept;
  void writeHalves(const KvPlace& place, bool areKeys, RowRange range, const HeadRows& rows, std::int32_t worker) noexcept;
  /// All tiles of the plan and all query heads of a KV head.
  void attendHead(std::int32_t layer, std::int32_t kvHead, std::int32_t worker) noexcept;
  void attendTile(std::int32_t layer, const QueryTile& tile, std::int32_t kvHead, std::int32_t firstHead,
                  std::int32_t headCount, std::int32_t worker) noexcept;
  /// activation_ = silu(gate) * up for some panels of the merged matrix, an even number.
  void gateUp(std::int32_t layer, const InputRows& input, const OutputBlock& block) noexcept;
  /// multiply() of product.h, counted in the profile.
  void product(const InputRows& input, const PackedMatrix& matrix, const OutputBlock& block, const Target& target) noexcept;
  /// Rows of the residual stream, normalised.
  [[nodiscard]] InputSource normed(const AlignedBuffer<float>& weight) const noexcept {
    return {rowsOf(residual_, 0, 0), hiddenStride_, weight.data()};
  }
  [[nodiscard]] InputSource mixed() const noexcept { return {{mixed_.data(), mixedStride_, panelColumns}, mixedStride_}; }
  [[nodiscard]] InputSource activation() const noexcept { return {rowsOf(activation_, 0, 0), ffnStride_}; }
  /// Rows of residual_ or activation_, from a row and a panel on.
  [[nodiscard]] PanelRows rowsOf(const AlignedBuffer<float>& buffer, std::int32_t row, std::int32_t panel) const noexcept {
    const std::int64_t panelStride = oddRows(passRows_) * panelColumns;
    return {buffer.data() + row * panelColumns + panel * panelStride, panelColumns, panelStride};
  }
  /// How many heads of so many rows are computed in one product: of few rows as many as are read again from a near cache.
  [[nodiscard]] std::int32_t headsTogether(std::int32_t rows) const noexcept {
    return std::max(1, static_cast<std::int32_t>(std::min(scratchStride_, mostTogether) / (rows * headStride_)));
  }
  /// The query of a row and head.
  [[nodiscard]] std::uint8_t* queryOf(std::int32_t row, std::int32_t head) const noexcept {
    const std::int32_t group = config_.heads / config_.kvHeads;
    return query_.data() + ((std::int64_t{head / group} * rows_ + row) * group + head % group) * headBytes_;
  }
  /// Rows of a source, normalised and rounded as it and the weights want, to the same rows of a buffer.
  void prepare(const InputSource& source, RowRange range, std::int32_t worker, const InputBuffer& to) noexcept;
  /// What prepare made of a source; rows that needed nothing stand where they stood.
  [[nodiscard]] InputRows prepared(const InputSource& source, const InputBuffer& buffer) const noexcept;
  [[nodiscard]] InputBuffer inputBuffer(std::int32_t rows) const;
  /// Whether each thread takes one task of a product with so many panels of a matrix.
  [[nodiscard]] bool isShort(const PackedMatrix& matrix, std::int32_t panels, std::int32_t rows) const noexcept {
    return std::int64_t{panels} * matrix.panelBytes * (rows + rowsOfReading) <= threads_.threads() * shortWork;
  }
  /// An even number of panels, so that tiles of two are whole.
  [[nodiscard]] std::int32_t panelsPerTask(const PackedMatrix& matrix, const RowBlocks& blocks) const noexcept;
  [[nodiscard]] float* scratchOf(std::int32_t worker) const noexcept { return scratch_.data() + worker * scratchStride_; }

  ModelConfig config_;
  PoolConfig poolConfig_;
  WeightType type_;
  KernelTable kernels_;
  ThreadPool threads_;
  PackedWeights weights_;
  KvPool kv_;
  RopeTable rope_;
  BackendInfo info_;
  Profile* profile_;

  std::int64_t hiddenStride_;  ///< padded(hidden)
  std::int64_t headStride_;    ///< padded(headDim)
  std::int64_t mixedStride_;   ///< padded(heads * headDim)
  std::int64_t ffnStride_;     ///< padded(ffn)
  std::int64_t widest_;        ///< of these
  std::int64_t inputStride_;   ///< bytes of the widest rounded row
  std::int64_t headBytes_;     ///< of a query, key or value, fp32 or bf16 as in the pool, padded
  std::int64_t scratchStride_; ///< floats of scratch a worker has
  // What products of many rows leave stands panel by panel, so that what a task writes is one stretch of memory: in rows of
  // kilobytes no prefetcher sees where a task goes on, and at powers of two rows compete for the same sets of the caches.
  AlignedBuffer<float> residual_;    ///< [hiddenStride / 16, odd rows, 16]
  AlignedBuffer<std::uint8_t> query_;  ///< [kvHeads, rows, heads / kvHeads, headBytes] of fp32 or bf16, as keys are
  AlignedBuffer<std::uint8_t> pageRows_;  ///< [threads, pageTokens, headBytes]: keys or values on their way to a page of bf16
  AlignedBuffer<float> mixed_;       ///< [rows, mixedStride]
  AlignedBuffer<float> activation_;  ///< [ffnStride / 16, odd rows, 16]
  InputBuffer input_;                ///< of maxRows rows: each is made ready once, for all threads
  std::vector<OwnInput> ownInputs_;  ///< [threads], of elementwiseRows rows
  std::uint64_t phase_ = 0;          ///< of a pass by columns, counted over all passes
  AlignedBuffer<float> logits_;      ///< [maxLogitRows, vocab]
  AlignedBuffer<float> scratch_;     ///< [threads, scratchStride]

  const ForwardBatch* batch_ = nullptr;  ///< of the rows in flight: the caller's, or wanted_
  std::int32_t rows_ = 0;
  ForwardBatch wanted_;
  QueryPlan queries_;
  SplitChoice choice_;
  Split split_ = Split::columns;    ///< of the pass
  std::int32_t passRows_ = 0;       ///< rows it began with
  std::chrono::steady_clock::time_point passStarted_;
};

}  // namespace foretrace::cpu
