// The CPU device: packed weights, a KV pool and a fixed pool of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/config.h"
#include "core/device.h"
#include "core/weights.h"
#include "cpu/kernels.h"
#include "cpu/profile.h"
#include "cpu/split.h"
#include "cpu/weight_type.h"

namespace foretrace {

/// How the CPU device runs.
struct CpuOptions {
  std::string isa = "auto";    ///< "auto" or a name of features.h
  std::int32_t threads = 0;    ///< worker threads, the calling thread included; 0 = processors of this process
  std::string dtype = "auto";  ///< "auto" or a name of weight_type.h
  std::string split = "auto";  ///< how passes are divided over the threads: "auto" or a name of split.h
  cpu::Profile* profile = nullptr;  ///< counts the time of the kernels, for benchmarks; outlives the device
};

/// Packs the weights (they may be released afterwards), allocates pool and activations. Throws `unsupported_device`
/// for an instruction set this machine lacks, `invalid_argument` for bad options and when the memory cannot be had.
[[nodiscard]] std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights,
                                                      const PoolConfig& pool, const CpuOptions& options);

/// The same with kernels of the caller's choice, so that tests can put one of their own in place. `threads` >= 1; `isa`
/// is only the name that info() tells. The table is copied.
[[nodiscard]] std::unique_ptr<Device> createCpuDevice(const ModelConfig& config, const Weights& weights,
                                                      const PoolConfig& pool, const cpu::KernelTable& kernels,
                                                      const std::string& isa, std::int32_t threads,
                                                      WeightType type = WeightType::fp32, cpu::Profile* profile = nullptr,
                                                      std::optional<cpu::Split> split = {});

}  // namespace foretrace
