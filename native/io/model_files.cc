#include "io/model_files.h"

#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "io/json.h"
#include "io/mapped_file.h"
#include "io/model_config.h"
#include "io/safetensors.h"
#include "io/weights.h"

namespace foretrace {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::unique_ptr<MappedFile>>;

constexpr const char* configName = "config.json";
constexpr const char* singleName = "model.safetensors";
constexpr const char* indexName = "model.safetensors.index.json";

/// True for a plain file name: an index must not point outside its directory.
bool isPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
}

/// The weight map of an index: tensor name -> file name.
std::unordered_map<std::string, std::string> readIndex(const fs::path& path) {
  const MappedFile file(path);
  const JsonValue document = parseJson(file.text(), path.string());
  const JsonValue* map = document.find("weight_map");
  if (map == nullptr || map->object() == nullptr || map->object()->empty()) {
    throw Error(ErrorCode::invalid_model, path.string() + ": weight_map", "an object of file names",
                map == nullptr ? "nothing" : map->describe());
  }
  std::unordered_map<std::string, std::string> files;
  for (const auto& [tensor, value] : *map->object()) {
    if (value.string() == nullptr || !isPlainName(*value.string())) {
      throw Error(ErrorCode::invalid_model, path.string() + ": weight_map[\"" + tensor + "\"]", "a plain file name",
                  value.describe());
    }
    files.emplace(tensor, *value.string());
  }
  return files;
}

/// Maps one file and adds its tensors. With an index, exactly the tensors it promises must be there.
void addFile(const fs::path& path, const std::unordered_map<std::string, std::string>* index, Files& files,
             TensorMap& tensors) {
  files.push_back(std::make_unique<MappedFile>(path));
  const std::string what = path.string();
  for (NamedTensor& tensor : parseSafetensors(files.back()->bytes(), what)) {
    if (index != nullptr) {
      const auto promised = index->find(tensor.name);
      if (promised == index->end() || promised->second != path.filename().string()) {
        throw Error(ErrorCode::invalid_model, what + ": tensor \"" + tensor.name + "\"", "an entry of the index for this file",
                    promised == index->end() ? "no entry" : "an entry for " + promised->second);
      }
    }
    tensors.emplace(std::move(tensor.name), std::move(tensor.view));
  }
}

void addShards(const fs::path& directory, Files& files, TensorMap& tensors) {
  const fs::path indexPath = directory / indexName;
  const auto index = readIndex(indexPath);
  std::set<std::string> names;
  for (const auto& entry : index) names.insert(entry.second);
  for (const std::string& name : names) addFile(directory / name, &index, files, tensors);
  for (const auto& entry : index) {
    if (!tensors.contains(entry.first)) {
      throw Error(ErrorCode::invalid_model, indexPath.string() + ": weight_map[\"" + entry.first + "\"]",
                  "a tensor in " + entry.second, "nothing");
    }
  }
}

}  // namespace

ModelConfig loadConfig(const fs::path& directory) {
  const fs::path path = directory / configName;
  const MappedFile file(path);
  return parseModelConfig(file.text(), path.string());
}

LoadedModel loadModel(const fs::path& directory) {
  LoadedModel model;
  model.config = loadConfig(directory);
  auto files = std::make_shared<Files>();
  TensorMap tensors;
  std::error_code ignored;
  if (fs::exists(directory / singleName, ignored)) {
    addFile(directory / singleName, nullptr, *files, tensors);
  } else if (fs::exists(directory / indexName, ignored)) {
    addShards(directory, *files, tensors);
  } else {
    throw Error(ErrorCode::model_not_found, directory.string(), std::string(singleName) + " or " + indexName, "neither");
  }
  model.weights = assembleWeights(model.config, tensors, directory.string());
  checkFinite(model.config, model.weights, directory.string());
  model.weights.storage = std::move(files);
  model.digest = digestModel(model.config, model.weights);
  return model;
}

}  // namespace foretrace
