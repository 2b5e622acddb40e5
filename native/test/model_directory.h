// Model directories on disk, made by tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "core/error.h"
#include "io/weights.h"
#include "test/safetensors_builder.h"

namespace foretrace::test {

/// A directory that disappears with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "foretrace-XXXXXX").string();
    ensure(::mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
    path_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& content) const { std::ofstream(path_ / name, std::ios::binary) << content; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The config.json of a model of a few hundred parameters.
inline const std::string configText =
    R"({"architectures":["LlamaForCausalLM"],"hidden_size":8,"num_hidden_layers":1,"num_attention_heads":2,"num_key_value_heads":1,)"
    R"("intermediate_size":12,"vocab_size":10,"max_position_embeddings":64,"tie_word_embeddings":true,"rms_norm_eps":1e-6,"rope_theta":10000})";

/// One file with the tensors [first, end) of a random model; `replace`, where the header has it, becomes `with`.
inline std::string fileOf(const std::vector<ExpectedTensor>& tensors, std::size_t first, std::size_t end,
                          const std::string& replace = "", const std::string& with = "") {
  std::string header = "{";
  std::string data;
  for (std::size_t i = first; i < end; ++i) {
    const TensorView& view = *tensors[i].role;
    header += std::string(i > first ? "," : "") + "\"" + tensors[i].name + "\":{\"dtype\":\"" + dtypeName(view.dtype) +
              "\",\"shape\":" + shapeText(view.shape) + ",\"data_offsets\":[" + std::to_string(data.size()) + "," +
              std::to_string(data.size() + view.bytes()) + "]}";
    data.append(reinterpret_cast<const char*>(view.data), view.bytes());
  }
  header += "}";
  if (const auto at = header.find(replace); !replace.empty() && at != std::string::npos) header.replace(at, replace.size(), with);
  return littleEndian(header.size()) + header + data;
}

}  // namespace foretrace::test
