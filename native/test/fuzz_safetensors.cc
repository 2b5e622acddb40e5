// The safetensors parser on arbitrary bytes: every tensor it returns lies inside the input.
#include <span>

#include "io/safetensors.h"
#include "test/mutate.h"
#include "test/safetensors_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foretrace;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  std::vector<NamedTensor> tensors;
  if (test::returnsOrRefuses([&] { tensors = parseSafetensors(bytes, "fuzz"); })) {
    unsigned sum = 0;
    for (const NamedTensor& tensor : tensors) {
      const std::span view(tensor.view.data, tensor.view.bytes());
      if (!view.empty() && (view.data() < bytes.data() || view.data() + view.size() > bytes.data() + bytes.size())) {
        test::violation("a tensor lies inside the file");
      }
      for (const std::byte byte : view) sum += std::to_integer<unsigned>(byte);  // a sanitizer sees a wrong range here
    }
    if (sum == 0xFFFFFFFF) test::violation("the sum of a small file is small");
  }
  return 0;
}

#ifndef FORETRACE_LIBFUZZER
int main() {
  using foretrace::test::safetensorsFile;
  return foretrace::test::mutateSeeds(
      {safetensorsFile(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})", 32),
       safetensorsFile(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F16","shape":[],"data_offsets":[0,2]}})", 2),
       safetensorsFile("{}", 0)},
      {"[", "]", "\"", ",", ":", "-1", "4294967296", "9223372036854775807", "18446744073709551615", "0", "\"F32\"", "\"shape\"",
       std::string(8, '\xFF'), std::string(8, '\0')},
      60000);
}
#endif
