#include "engine/load_progress.h"

#include <string>

namespace foretrace {

std::function<void(std::int64_t done, std::int64_t total)> loadProgressBar(std::ostream& out) {
  return [&out, shown = std::int64_t{-1}](std::int64_t done, std::int64_t total) mutable {
    constexpr std::int64_t width = 40;
    const std::int64_t percent = total > 0 ? done * 100 / total : 100;
    if (percent == shown) return;
    shown = percent;
    const auto filled = static_cast<std::size_t>(percent * width / 100);
    out << "\rloading weights [" << std::string(filled, '=') << std::string(width - filled, ' ') << "] " << percent << " %"
        << (done >= total ? "\n" : "") << std::flush;
  };
}

}  // namespace foretrace
