// Cases of the whole forward pass on the CUDA device, for a GPU and for the emulator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>

#include "core/convert.h"
#include "cpu/cpu_device.h"
#include "cuda/cuda_device.h"
#include "cuda/launch.h"
#include "cuda/select.h"
#include "io/model_files.h"
#include "model/transformer.h"
#include "test/check.h"
#include "test/random.h"

namespace foretrace::test::model_cases {  // TEST names its functions by line: one namespace a file

using Rows = std::vector<std::vector<float>>;

/// A random model whose weights are large enough for attention and activations to matter: those of randomModel times
/// powers of two, which bf16 represents exactly.
inline LoadedModel strongModel(std::int32_t heads, std::int32_t kvHeads, std::int32_t headDim, std::int32_t hidden, std::int32_t ffn,
                               std::int32_t vocab, bool tied, ModelConfig config = {}) {
  config.hidden = hidden;
  config.layers = 2;
  config.heads = heads;
  config.kvHeads = kvHeads;
  config.headDim = headDim;
  config.ffn = ffn;
  config.vocab = vocab;
  config.maxContext = 1024;
  config.tied = tied;
  LoadedModel model = randomModel(config, 11);
  const auto scale = [](const TensorView& view, float factor) {
    auto* bytes = const_cast<std::byte*>(view.data);
    for (std::int64_t i = 0; i < view.elements(); ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes + 2 * i, 2);
      bits = floatToBf16(factor * bf16ToFloat(bits));
      std::memcpy(bytes + 2 * i, &bits, 2);
    }
  };
  scale(model.weights.embedding, 16.0F);
  if (!tied) scale(model.weights.head, 8.0F);
  for (const LayerWeights& layer : model.weights.layers) {
    for (const TensorView* view : {&layer.query, &layer.key, &layer.value, &layer.attentionOutput, &layer.gate, &layer.up, &layer.down}) {
      scale(*view, 8.0F);
    }
  }
  return model;
}

/// The kind of products where a case does not name one, and whether large models are left out.
inline const char*& defaultProducts() {
  static const char* products = "auto";
  return products;
}
inline bool& fewModels() {
  static bool few = false;
  return few;
}

inline std::vector<LoadedModel> models(bool emulated) {
  std::vector<LoadedModel> list;
  list.push_back(strongModel(4, 2, 16, 64, 160, 96, true));
  list.push_back(strongModel(3, 1, 18, 50, 77, 141, false));
  if (!emulated) list.push_back(strongModel(8, 1, 64, 512, 1408, 1025, true));
  if (!emulated && !fewModels()) list.push_back(strongModel(16, 4, 128, 2048, 2048, 3000, false));
  return list;
}

/// Number format and kind of products of a device.
struct Setting {
  const char* dtype = "bf16";
  const char* products = defaultProducts();
  [[nodiscard]] std::string text() const { return std::string(dtype) + " " + products + " "; }
};

/// Every format and kind of product this GPU has.
inline std::vector<Setting> settings() {
  std::vector<Setting> list;
  const std::int32_t capability = cuda::selectDevice(0).capability;
  for (const char* dtype : {"bf16", "int8", "fp8"}) {
    if (capability < 89 && std::string(dtype) == "fp8") continue;
    list.push_back({dtype, "mma"});
    if (cuda::warpgroupsCompiled()) list.push_back({dtype, "wgmma"});
  }
  return list;
}

inline std::unique_ptr<Backend> cudaBackend(const LoadedModel& model, const PoolConfig& pool, bool share = true, const Setting& setting = {}) {
  CudaOptions options;
  options.shareChunks = share;
  options.dtype = setting.dtype;
  options.products = setting.products;
  return std::make_unique<Transformer>(model.config, pool, createCudaDevice(model.config, model.weights, pool, options));
}

inline std::vector<std::int32_t> someTokens(std::int32_t count, std::int32_t vocab, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int32_t> tokens;
  for (std::int32_t i = 0; i < count; ++i) tokens.push_back(random.below(vocab));
  return tokens;
}

inline std::vector<std::int32_t> pagesFrom(std::int32_t first, std::int32_t step, std::size_t tokens, std::int32_t pageTokens) {
  std::vector<std::int32_t> pages;
  for (std::size_t i = 0; i * static_cast<std::size_t>(pageTokens) < tokens; ++i) pages.push_back(first + static_cast<std::int32_t>(i) * step);
  return pages;
}

inline void appendRows(Rows& to, std::span<const float> logits, std::size_t first, std::size_t count, std::size_t vocab) {
  for (std::size_t row = first; row < first + count; ++row) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row * vocab);
    to.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(vocab));
  }
}

/// Logits after every token, in chunks of the given sizes (the last size repeats).
inline Rows runChunks(Backend& backend, const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& pages,
                      const std::vector<std::size_t>& sizes, std::size_t vocab) {
  Rows result;
  std::size_t position = 0;
  for (std::size_t chunk = 0; position < tokens.size(); ++chunk) {
    const std::size_t count = std::min(sizes[std::min(chunk, sizes.size() - 1)], tokens.size() - position);
    ForwardBatch batch;
    batch.add({1, static_cast<std::int32_t>(position), std::span(tokens).subspan(position, count), pages, LogitRows::all});
    appendRows(result, backend.forward(batch), 0, count, vocab);
    position += count;
  }
  return result;
}

inline bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

inline bool sameBits(const Rows& a, const Rows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) { return sameBits(x, y); });
}

inline constexpr PoolConfig modelPool{.pages = 400, .pageTokens = 16, .maxRows = 320};

/// Squares of the errors over the squares of what is expected.
inline double normalisedError(const Rows& expected, const Rows& found) {
  double squares = 0;
  double errors = 0;
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t i = 0; i < expected[row].size(); ++i) {
      const double wanted = static_cast<double>(expected[row][i]);
      squares += wanted * wanted;
      errors += (static_cast<double>(found[row][i]) - wanted) * (static_cast<double>(found[row][i]) - wanted);
    }
  }
  return squares > 0.01 * static_cast<double>(expected.size() * expected[0].size()) ? errors / squares : INFINITY;
}

/// As the Code World Model is: rotary frequencies scaled, some whole, some in part and some not.
inline LoadedModel stretched(LoadedModel model) {
  model.config.ropeScaling = {.factor = 8, .lowFrequencyFactor = 1, .highFrequencyFactor = 4, .originalContext = 128};
  return model;
}

/// Every other layer sees 100 positions only: a window that ends within a chunk.
inline LoadedModel windowed(LoadedModel model) {
  model.config.slidingWindow = 100;
  model.config.windowedLayers.assign(static_cast<std::size_t>(model.config.layers), 0);
  model.config.windowedLayers[1] = 1;
  return model;
}

TEST("logits agree with the CPU device in fp32 as far as the format reaches, and with the CPU's int8") {
  for (const LoadedModel& model : models(emulated)) {
    const auto vocab = static_cast<std::size_t>(model.config.vocab);
    const auto tokens = someTokens(emulated ? 140 : 300, model.config.vocab, 3);
    const auto pages = pagesFrom(0, 1, tokens.size(), 16);
    const auto onCpu = [&](const char* dtype) {
      Transformer cpu(model.config, modelPool, createCpuDevice(model.config, model.weights, modelPool, {.isa = "portable", .threads = 2, .dtype = dtype}));
      return runChunks(cpu, tokens, pages, {100}, vocab);
    };
    const Rows exact = onCpu("fp32");
    const Rows int8 = onCpu("int8");
    const double lostAsBf16 = normalisedError(exact, onCpu("bf16"));
    const double lostAsInt8 = normalisedError(exact, int8);
    for (const Setting& setting : settings()) {
      if (emulated && model.config.hidden != 64 && std::string(setting.products) == "mma" && std::string(setting.dtype) != "bf16") continue;
      const auto backend = cudaBackend(model, modelPool, true, setting);
      const Rows found = runChunks(*backend, tokens, pages, {130, emulated ? 9U : 1U, 1}, vocab);
      const double error = normalisedError(exact, found);
      const std::string dtype = setting.dtype;
      const std::string text = setting.text() + "hidden " + std::to_string(model.config.hidden) + ": normalised error " + std::to_string(error);
      std::printf("%s\n", text.c_str());
      // How much rounding costs grows with the model, for the CPU in the same format too. fp8 rounds by 2^-4 of a number where bf16
      // rounds by 2^-9; a wrong page, angle or head gives an error as large as the logits.
      const double bound = dtype == "bf16" ? 2 * lostAsBf16 + 1e-4 : dtype == "int8" ? 2 * lostAsInt8 + 1e-3 : std::min(0.4, 512 * lostAsBf16 + 0.02);
      CHECK_THAT(error <= bound, text + ", at most " + std::to_string(bound));
      if (dtype == "int8") {
        const double apart = normalisedError(int8, found);
        CHECK_THAT(apart <= 5e-3 && apart < error + 5e-3, setting.text() + "against the CPU's int8: " + std::to_string(apart));
      }
    }
  }
}

TEST("layers with a window agree with the CPU device, and have the same bits in chunks of any size, their positions scaled or not") {
  bool scaled = false;
  for (const LoadedModel& each : models(emulated)) {
    scaled = !scaled;
    const LoadedModel plain = scaled ? stretched(each) : each;
    const auto vocab = static_cast<std::size_t>(plain.config.vocab);
    const auto tokens = someTokens(emulated ? 150 : 300, plain.config.vocab, 3);
    const auto pages = pagesFrom(0, 1, tokens.size(), 16);
    const LoadedModel model = windowed(plain);
    Transformer cpu(model.config, modelPool, createCpuDevice(model.config, model.weights, modelPool, {.isa = "portable", .threads = 2}));
    const Rows expected = runChunks(cpu, tokens, pages, {100}, vocab);
    const auto backend = cudaBackend(model, modelPool);
    const Rows found = runChunks(*backend, tokens, pages, {tokens.size()}, vocab);
    const double error = normalisedError(expected, found);
    CHECK_THAT(error <= 1e-3, std::to_string(error));
    CHECK(sameBits(found, runChunks(*backend, tokens, pages, {tokens.size() - 8, 5, 1}, vocab)));
    const Rows everything = runChunks(*cudaBackend(plain, modelPool), tokens, pages, {tokens.size()}, vocab);
    CHECK(sameBits(Rows(found.begin(), found.begin() + 100), Rows(everything.begin(), everything.begin() + 100)));
    CHECK(!sameBits(found.back(), everything.back()));
    if (scaled) CHECK(normalisedError(expected, runChunks(*cudaBackend(windowed(each), modelPool), tokens, pages, {tokens.size()}, vocab)) > 1e-2);
  }
}

TEST("biases and norms of heads agree with the CPU device, and have the same bits in chunks of any size") {
  for (const bool biases : {true, false}) {
    ModelConfig kind;
    kind.attentionBias = biases;
    kind.headNorms = !biases;
    const LoadedModel model = strongModel(4, 2, biases ? 18 : 40, 64, 160, 96, true, kind);
    const auto vocab = static_cast<std::size_t>(model.config.vocab);
    const auto tokens = someTokens(emulated ? 150 : 300, model.config.vocab, 3);
    const auto pages = pagesFrom(0, 1, tokens.size(), 16);
    Transformer cpu(model.config, modelPool, createCpuDevice(model.config, model.weights, modelPool, {.isa = "portable", .threads = 2}));
    const Rows expected = runChunks(cpu, tokens, pages, {100}, vocab);
    const auto backend = cudaBackend(model, modelPool);
    const Rows found = runChunks(*backend, tokens, pages, {tokens.size()}, vocab);
    CHECK_THAT(normalisedError(expected, found) <= 1e-3, std::to_string(normalisedError(expected, found)));
    CHECK(sameBits(found, runChunks(*backend, tokens, pages, {tokens.size() - 8, 5, 1}, vocab)));
    LoadedModel plain = model;
    plain.config.attentionBias = plain.config.headNorms = false;
    CHECK(normalisedError(expected, runChunks(*cudaBackend(plain, modelPool), tokens, pages, {tokens.size()}, vocab)) > 1e-2);
  }
}

TEST("chunked and whole prefill and one token at a time give the same bits in every format, with every kind of product") {
  const LoadedModel model = std::move(models(emulated).back());
  const auto vocab = static_cast<std::size_t>(model.config.vocab);
  const auto tokens = someTokens(emulated ? 69 : 300, model.config.vocab, 4);
  const auto pages = pagesFrom(0, 1, tokens.size(), 16);
  for (const Setting& setting : settings()) {
    const auto backend = cudaBackend(model, modelPool, true, setting);
    const Rows whole = runChunks(*backend, tokens, pages, {tokens.size()}, vocab);
    CHECK_THAT(sameBits(whole, runChunks(*backend, tokens, pages, {emulated ? tokens.size() - 9 : 200, 7, 1}, vocab)), setting.text());
  }
}

TEST("chunked and whole prefill, one token at a time, other pages and page sizes give the same bits") {
  for (const LoadedModel& model : models(emulated)) {
    const auto vocab = static_cast<std::size_t>(model.config.vocab);
    const auto tokens = someTokens(emulated ? 135 : 300, model.config.vocab, 4);
    const std::size_t start = emulated ? tokens.size() - 3 : 0;  // single tokens from here on
    const auto backend = cudaBackend(model, modelPool);
    const Rows whole = runChunks(*backend, tokens, pagesFrom(0, 1, tokens.size(), 16), {tokens.size()}, vocab);
    std::vector<std::size_t> singles{1};
    if (start > 0) singles.insert(singles.begin(), start);
    CHECK(sameBits(whole, runChunks(*backend, tokens, pagesFrom(30, 3, tokens.size(), 16), singles, vocab)));
    CHECK(sameBits(whole, runChunks(*backend, tokens, pagesFrom(399, -2, tokens.size(), 16), {7, 65, 30, 2, 33}, vocab)));
    for (const std::int32_t pageTokens : {8, 64}) {
      const auto other = cudaBackend(model, {.pages = 60, .pageTokens = pageTokens, .maxRows = 320});
      CHECK_THAT(sameBits(whole, runChunks(*other, tokens, pagesFrom(59, -1, tokens.size(), pageTokens), {50}, vocab)), std::to_string(pageTokens));
    }
  }
}

/// Sequences that share their first `shared` tokens and pages; sequence 0 is whole.
struct Family {
  std::vector<std::vector<std::int32_t>> tokens;
  std::vector<std::vector<std::int32_t>> pages;
};

inline Family makeFamily(std::size_t members, std::int32_t shared, std::int32_t vocab) {
  Family family;
  const auto prefix = someTokens(shared, vocab, 50);
  const auto prefixPages = pagesFrom(0, 1, prefix.size(), 16);
  std::int32_t next = static_cast<std::int32_t>(prefixPages.size());
  for (std::size_t member = 0; member < members; ++member) {
    auto tokens = prefix;
    const auto own = someTokens(emulated ? 1 + static_cast<std::int32_t>(member % 3) : 3 + static_cast<std::int32_t>(member % 5), vocab, 60 + member);
    tokens.insert(tokens.end(), own.begin(), own.end());
    auto pages = prefixPages;
    pages.push_back(next++);
    family.tokens.push_back(std::move(tokens));
    family.pages.push_back(std::move(pages));
  }
  return family;
}

TEST("64 sequences over a shared prefix: the same bits alone and together, pages read once or by each") {
  for (const LoadedModel& model : models(emulated)) {
    const auto vocab = static_cast<std::size_t>(model.config.vocab);
    const std::int32_t shared = emulated ? 144 : 272;
    const Family family = makeFamily(emulated ? 3 : 64, shared, model.config.vocab);
    const auto backend = cudaBackend(model, modelPool);
    const auto unshared = cudaBackend(model, modelPool, false);
    std::vector<Rows> alone;
    for (std::size_t member = 0; member < family.tokens.size(); ++member) {
      alone.push_back(runChunks(*backend, family.tokens[member], family.pages[member], {static_cast<std::size_t>(shared), 1}, vocab));
    }
    for (Backend* each : {backend.get(), unshared.get()}) {
      (void)runChunks(*each, std::vector<std::int32_t>(family.tokens[0].begin(), family.tokens[0].begin() + shared), family.pages[0], {100}, vocab);
      for (std::size_t step = 0; step < 7; ++step) {
        ForwardBatch batch;
        std::vector<std::size_t> rows;
        for (std::size_t member = 0; member < family.tokens.size(); ++member) {
          const std::size_t position = static_cast<std::size_t>(shared) + step;
          if (position >= family.tokens[member].size()) continue;
          batch.add({static_cast<std::int32_t>(member), static_cast<std::int32_t>(position), std::span(family.tokens[member]).subspan(position, 1),
                     family.pages[member], LogitRows::last});
          rows.push_back(member);
        }
        if (rows.empty()) break;
        Rows found;
        appendRows(found, each->forward(batch), 0, rows.size(), vocab);
        for (std::size_t i = 0; i < rows.size(); ++i) {
          CHECK_THAT(sameBits(found[i], alone[rows[i]][static_cast<std::size_t>(shared) + step]), "member " + std::to_string(rows[i]));
        }
      }
    }
  }
}

TEST("a copied page continues like the original, logits come for the wanted rows only") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const auto vocab = static_cast<std::size_t>(model.config.vocab);
  const auto backend = cudaBackend(model, modelPool);
  const auto tokens = someTokens(40, model.config.vocab, 4);
  const Rows expected = runChunks(*backend, tokens, {0, 1, 2}, {40}, vocab);
  backend->copyPage(1, 40, 5);  // tokens 16 .. 20
  ForwardBatch batch;
  const std::vector<std::int32_t> table = {0, 40, 41};
  batch.add({1, 21, std::span(tokens).subspan(21), table, LogitRows::none});
  batch.add({2, 0, std::span(tokens).first(3), std::vector<std::int32_t>{50}, LogitRows::all});
  batch.add({3, 0, std::span(tokens).first(2), std::vector<std::int32_t>{51}, LogitRows::last});
  Rows found;
  CHECK(backend->forward(batch).size() == 4 * vocab);
  appendRows(found, backend->forward(batch), 0, 4, vocab);
  for (const auto& [row, position] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 1}, {2, 2}, {3, 1}}) CHECK(sameBits(found[row], expected[position]));
  batch.clear();
  batch.add({1, 39, std::span(tokens).subspan(39), table, LogitRows::last});
  found.clear();
  appendRows(found, backend->forward(batch), 0, 1, vocab);
  CHECK(sameBits(found[0], expected[39]));
  batch.clear();
  CHECK(backend->forward(batch).empty());
}

TEST("pools and models out of range are refused with their code, too little memory says how much") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const auto create = [&](const PoolConfig& pool, const ModelConfig& config, std::string* message = nullptr) {
    return thrownCode([&] { (void)createCudaDevice(config, model.weights, pool, {}); }, message);
  };
  CHECK(create({.pages = 1, .pageTokens = 8, .maxRows = 1}, model.config) == "nothing");
  CHECK(create({.pages = 0, .pageTokens = 8, .maxRows = 1}, model.config) == "invalid_argument");
  CHECK(create({.pages = 1, .pageTokens = 4, .maxRows = 1}, model.config) == "invalid_argument");
  CHECK(create({.pages = 1, .pageTokens = 12, .maxRows = 1}, model.config) == "invalid_argument");
  CHECK(create({.pages = 1, .pageTokens = 16, .maxRows = 0}, model.config) == "invalid_argument");
  const auto with = [&](const Setting& setting) {
    return thrownCode([&] { (void)cudaBackend(model, {.pages = 1, .pageTokens = 8, .maxRows = 1}, true, setting); });
  };
  CHECK(with({"fp32", "auto"}) == "invalid_argument" && with({"bf16", "other"}) == "invalid_argument");
  CHECK(with({"int8", "mma"}) == "nothing");
  ModelConfig wide = model.config;
  wide.headDim = 256;
  CHECK(create({.pages = 1, .pageTokens = 8, .maxRows = 1}, wide) == "unsupported_device");
  ModelConfig huge = model.config;
  huge.hidden = huge.ffn = 65536;
  huge.layers = 512;
  std::string message;
  CHECK(create({.pages = 1, .pageTokens = 8, .maxRows = 1}, huge, &message) == "invalid_argument");
  CHECK_THAT(message.find("GiB too little") != std::string::npos, message);
}

}  // namespace foretrace::test::model_cases
