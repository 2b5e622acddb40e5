// A bar for people who wait while weights are copied to a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>

namespace foretrace {

/// What writes a bar to `out`, which must outlive it: one line, written anew whenever another percent is done, and a line
/// break at the end.
[[nodiscard]] std::function<void(std::int64_t done, std::int64_t total)> loadProgressBar(std::ostream& out);

}  // namespace foretrace
