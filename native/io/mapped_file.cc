#include "io/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace foretrace {
namespace {

[[noreturn]] void failToRead(const std::filesystem::path& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  throw Error(missing ? ErrorCode::model_not_found : ErrorCode::invalid_model, path.string(), "a readable file",
              std::strerror(error));
}

/// Closes a descriptor at the end of a scope.
struct Descriptor {
  int value;
  ~Descriptor() { ::close(value); }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK a named pipe would be waited for until somebody writes to it.
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) failToRead(path, errno);
  const Descriptor file{opened};
  struct stat status {};
  if (::fstat(file.value, &status) != 0) failToRead(path, errno);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorCode::invalid_model, path.string(), "a regular file", "another kind");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (mapping == MAP_FAILED) failToRead(path, errno);
  data_ = static_cast<const std::byte*>(mapping);
}

MappedFile::~MappedFile() {
  if (size_ != 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace foretrace
