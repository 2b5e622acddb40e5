// The digest that names a model in caches.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/weights.h"

namespace foretrace {
namespace {

/// Folds the 128-bit product of two words: the mixing step of multiplicative hashes.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// A 128-bit hash of a byte stream over four independent lanes, fast enough to be bound by memory.
class Hasher {
 public:
  void update(const void* data, std::size_t bytes) noexcept {
    const auto* cursor = static_cast<const unsigned char*>(data);
    length_ += bytes;
    for (; bytes >= blockBytes; bytes -= blockBytes, cursor += blockBytes) block(cursor);
    if (bytes > 0) {
      std::array<unsigned char, blockBytes> tail{};
      std::memcpy(tail.data(), cursor, bytes);
      tail[blockBytes - 1] = static_cast<unsigned char>(bytes);  // a tail holds at most blockBytes - 1 bytes
      block(tail.data());
    }
    fold();  // the end of every update counts: ("ab", "c") differs from ("a", "bc")
  }
  void update(std::string_view text) noexcept { update(text.data(), text.size()); }
  void update(std::int64_t value) noexcept { update(&value, sizeof value); }

  [[nodiscard]] std::array<std::uint64_t, 2> finish() const noexcept {
    const std::uint64_t low = mix(lanes_[0] ^ length_, keys[0] ^ lanes_[1]);
    const std::uint64_t high = mix(lanes_[2] ^ length_, keys[1] ^ lanes_[3]);
    return {mix(low ^ keys[2], high ^ keys[3]) ^ low, mix(high ^ keys[0], low ^ keys[1]) ^ high};
  }

 private:
  static constexpr std::size_t blockBytes = 64;
  // Odd words without structure: the fractional parts of the square roots of 2, 3, 5 and 7.
  static constexpr std::array<std::uint64_t, 4> keys = {0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B,
                                                        0xA54FF53A5F1D36F1};

  void block(const unsigned char* data) noexcept {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t first = 0;
      std::uint64_t second = 0;
      std::memcpy(&first, data + 16 * lane, 8);
      std::memcpy(&second, data + 16 * lane + 8, 8);
      lanes_[lane] = mix(lanes_[lane] ^ first ^ keys[lane], second ^ keys[(lane + 1) % 4]) + lanes_[lane] + first;
    }
  }

  void fold() noexcept {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      lanes_[lane] = mix(lanes_[lane] ^ keys[lane], lanes_[(lane + 1) % 4] ^ length_ ^ keys[(lane + 2) % 4]) + lanes_[lane];
    }
  }

  std::array<std::uint64_t, 4> lanes_ = keys;
  std::uint64_t length_ = 0;
};

void updateWithConfig(Hasher& hasher, const ModelConfig& config) {
  hasher.update(config.architecture);
  for (const std::int64_t value : {config.hidden, config.layers, config.heads, config.kvHeads, config.headDim, config.ffn,
                                   config.vocab, config.maxContext, std::int32_t{config.tied}}) {
    hasher.update(value);
  }
  hasher.update(&config.ropeTheta, sizeof config.ropeTheta);
  hasher.update(&config.normEps, sizeof config.normEps);
  // What a model does not have leaves no trace, so that digests stay what they were before it was known.
  for (std::int32_t layer = 0; config.slidingWindow > 0 && layer < config.layers; ++layer) {
    hasher.update(std::int64_t{config.windowOf(layer)});
  }
  const RopeScaling& scaling = config.ropeScaling;
  if (!scaling.scaled()) return;
  hasher.update("llama3");
  for (const double value : {scaling.factor, scaling.lowFrequencyFactor, scaling.highFrequencyFactor}) {
    hasher.update(&value, sizeof value);
  }
  hasher.update(std::int64_t{scaling.originalContext});
}

std::string hexadecimal(const std::array<std::uint64_t, 2>& words) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : words) {
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(digits[(word >> shift) & 15]);
  }
  return text;
}

}  // namespace

std::string digestModel(const ModelConfig& config, const Weights& weights) {
  Hasher hasher;
  updateWithConfig(hasher, config);
  Weights copy = weights;  // expectedTensors needs places to point at; views are cheap to copy
  std::vector<ExpectedTensor> tensors = expectedTensors(config, copy);
  std::sort(tensors.begin(), tensors.end(),
            [](const ExpectedTensor& a, const ExpectedTensor& b) { return a.name < b.name; });
  for (const ExpectedTensor& tensor : tensors) {
    hasher.update(tensor.name);
    hasher.update(dtypeName(tensor.role->dtype));
    for (const std::int64_t extent : tensor.role->shape) hasher.update(extent);
    hasher.update(tensor.role->data, tensor.role->bytes());
  }
  return hexadecimal(hasher.finish());
}

}  // namespace foretrace
