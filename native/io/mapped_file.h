// Read-only memory mapping of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace foretrace {

/// A file mapped read-only for the lifetime of this object. The file must not be truncated meanwhile.
class MappedFile {
 public:
  /// Throws `model_not_found` if there is no such file and `invalid_model` if it cannot be read or is no regular file.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(data_), size_};
  }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace foretrace
