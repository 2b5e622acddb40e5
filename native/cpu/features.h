// Instruction sets of the CPU backend and which of them this machine can run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretrace {

/// Instruction sets a kernel table exists for, in ascending order of speed.
enum class Isa : std::uint8_t {
  portable,
  avx2,        ///< with FMA
  avx512,      ///< F, BW, DQ and VL
  avx512vnni,  ///< and VNNI
  avx512bf16,  ///< and VNNI, BF16 and VBMI
  amx,         ///< the same with AMX tiles of int8 and bf16
};

namespace cpu {
struct KernelTable;
}

/// The kernels of an instruction set that this processor has; nullptr if they were not compiled for its family.
[[nodiscard]] const cpu::KernelTable* kernelsOf(Isa isa) noexcept;

/// The name of the enumerator.
[[nodiscard]] const char* isaName(Isa isa) noexcept;

/// True if processor and operating system can run the kernels of this instruction set.
[[nodiscard]] bool isaAvailable(Isa isa) noexcept;

/// All instruction sets available here, slowest first; never empty.
[[nodiscard]] std::vector<Isa> availableIsas();

/// "auto" is the best available one. Throws `invalid_argument` for an unknown name and `unsupported_device` for one
/// this machine cannot run.
[[nodiscard]] Isa resolveIsa(std::string_view name);

/// Processors this process may run on (affinity and cgroup quota), at least 1.
[[nodiscard]] std::int32_t availableProcessors() noexcept;

}  // namespace foretrace
