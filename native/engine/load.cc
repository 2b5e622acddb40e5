#include "engine/load.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "core/error.h"
#include "cpu/cpu_device.h"
#include "cuda/cuda_device.h"
#include "engine/device_choice.h"
#include "io/model_files.h"
#include "model/transformer.h"

namespace foretrace {

namespace {

constexpr std::int64_t defaultPoolBytes = std::int64_t{256} << 20;
constexpr std::int64_t mostPages = 1 << 22;

void checkRange(const char* what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw Error(ErrorCode::invalid_argument, what, std::to_string(low) + " to " + std::to_string(high),
              std::to_string(value));
}

DraftMode draftMode(const std::string& name) {
  if (name == "auto") return DraftMode::automatic;
  if (name == "off") return DraftMode::off;
  if (name == "always") return DraftMode::always;
  throw Error(ErrorCode::invalid_argument, "drafts", "auto, off or always", name);
}

void checkOptions(const LoadOptions& options) {
  checkRange("threads", options.threads, 0, 1024);
  checkRange("pages", options.pages, 0, mostPages);
  checkRange("maxRows", options.maxRows, 1, 1 << 16);
  checkRange("maxSequences", options.maxSequences, 1, 1 << 16);
  checkRange("pageTokens", options.pageTokens, 4, 64);
  checkRange("hostCacheBytes", options.hostCacheBytes, 0, std::int64_t{1} << 46);
  if (!std::has_single_bit(static_cast<std::uint32_t>(options.pageTokens))) {
    throw Error(ErrorCode::invalid_argument, "pageTokens", "a power of two", std::to_string(options.pageTokens));
  }
  if (options.device != "auto" && options.device != "cpu" && options.device != "cuda") {
    throw Error(ErrorCode::invalid_argument, "device", "auto, cpu or cuda", options.device);
  }
  static_cast<void>(draftMode(options.drafts));
}

/// As many pages as the budget holds, but never less than one sequence of full context needs. Keys and values take half
/// of their fp32 size in the other number formats.
std::int32_t defaultPages(const ModelConfig& config, std::int32_t pageTokens, WeightType type) {
  const std::int64_t least = (std::int64_t{config.maxContext} + pageTokens - 1) / pageTokens;
  const std::int64_t tokenBytes = kvBytesPerToken(config) / (type == WeightType::fp32 ? 1 : 2);
  const std::int64_t affordable = defaultPoolBytes / (tokenBytes * pageTokens);
  return static_cast<std::int32_t>(std::clamp(std::max(least, affordable), std::int64_t{1}, mostPages));
}

CudaOptions cudaOptions(const LoadOptions& options) {
  CudaOptions cuda;
  cuda.dtype = options.dtype;
  cuda.hostCacheBytes = options.hostCacheBytes;
  cuda.progress = options.progress;
  return cuda;
}

std::unique_ptr<Device> createDevice(const std::string& device, const LoadOptions& options, const LoadedModel& loaded, const PoolConfig& pool) {
  if (device == "cuda") return createCudaDevice(loaded.config, loaded.weights, pool, cudaOptions(options));
  return createCpuDevice(loaded.config, loaded.weights, pool,
                         {.isa = options.isa, .threads = options.threads, .dtype = options.dtype});
}

/// Pages of the pool when the caller leaves their number open.
std::int32_t pagesFor(const std::string& device, const LoadOptions& options, const ModelConfig& model, const PoolConfig& pool) {
  if (device == "cuda") return affordableCudaPages(model, pool, cudaOptions(options));
  return defaultPages(model, options.pageTokens, resolveWeightType(options.dtype, model.cpuDtype));
}

EngineInfo describe(const LoadOptions& options, const LoadedModel& loaded, const PoolConfig& pool,
                    const BackendInfo& backend) {
  const ModelConfig& model = loaded.config;
  EngineInfo info;
  info.architecture = model.architecture;
  info.vocabSize = model.vocab;
  info.hiddenSize = model.hidden;
  info.layers = model.layers;
  info.heads = model.heads;
  info.kvHeads = model.kvHeads;
  info.maxContext = model.maxContext;
  info.parameters = loaded.weights.parameters;
  info.weightBytes = backend.weightBytes;
  info.kvBytesPerToken = backend.kvBytesPerToken;
  info.pages = pool.pages;
  info.pageTokens = pool.pageTokens;
  info.device = backend.device;
  info.isa = backend.isa;
  info.dtype = backend.device == "cpu" ? weightTypeName(resolveWeightType(options.dtype, model.cpuDtype))
               : options.dtype == "auto" ? "bf16" : options.dtype;  // the CUDA device has refused all it does not know
  info.threads = backend.threads;
  info.modelDigest = loaded.digest;
  return info;
}

}  // namespace

std::unique_ptr<Engine> loadEngine(const LoadOptions& options) {
  checkOptions(options);
  const DeviceChoice choice = chooseDevice(options.device, options.device == "auto" ? probeCuda() : CudaProbe{});
  const LoadedModel loaded = options.randomWeightsSeed
                                 ? randomModel(loadConfig(options.modelDir), *options.randomWeightsSeed)
                                 : loadModel(options.modelDir);
  const ModelConfig& model = loaded.config;
  PoolConfig pool;
  pool.pageTokens = options.pageTokens;
  pool.maxRows = options.maxRows;
  pool.pages = options.pages == 0 ? pagesFor(choice.device, options, model, pool) : options.pages;
  auto backend = std::make_unique<Transformer>(model, pool, createDevice(choice.device, options, loaded, pool));
  EngineInfo info = describe(options, loaded, pool, backend->info());
  info.deviceReason = choice.reason;
  const EngineConfig config{.vocab = model.vocab,
                            .maxContext = model.maxContext,
                            .pages = pool.pages,
                            .pageTokens = pool.pageTokens,
                            .maxRows = pool.maxRows,
                            .maxSequences = options.maxSequences,
                            .hostPages = backend->info().hostPages,
                            .drafts = draftMode(options.drafts)};
  return std::make_unique<Engine>(config, std::move(info), std::move(backend));
}

}  // namespace foretrace
