// Model files: what is valid is read exactly, what is not is refused with a coded error.
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "core/convert.h"
#include "io/model_files.h"
#include "io/safetensors.h"
#include "io/weights.h"
#include "test/check.h"
#include "test/model_directory.h"
#include "test/safetensors_builder.h"

namespace foretrace {
namespace {

namespace fs = std::filesystem;
using test::configText;
using test::fileOf;
using test::littleEndian;
using test::safetensorsFile;
using test::TemporaryDirectory;

std::vector<NamedTensor> parse(const std::string& file) {
  return parseSafetensors(std::as_bytes(std::span(file.data(), file.size())), "model.safetensors");
}

std::string codeOf(const std::string& file, std::string* message = nullptr) {
  // A copy on the heap of exact size: AddressSanitizer then sees a read past the end.
  const std::vector<char> copy(file.begin(), file.end());
  return test::thrownCode([&] { (void)parseSafetensors(std::as_bytes(std::span(copy)), "model.safetensors"); }, message);
}

const std::string twoTensors =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[12,16]},)"
    R"("a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";

TEST("tensors of a valid file are found with their bytes") {
  const std::string file = safetensorsFile(twoTensors, 16);
  const auto tensors = parse(file);
  CHECK(tensors.size() == 2);
  CHECK(tensors[0].name == "a" && tensors[0].view.dtype == DType::f32 && tensors[0].view.shape == std::vector<std::int64_t>{3});
  CHECK(tensors[1].name == "b" && tensors[1].view.dtype == DType::bf16);
  CHECK(std::to_integer<int>(tensors[0].view.data[0]) == 1 && std::to_integer<int>(tensors[1].view.data[0]) == 13);
  CHECK(parse(safetensorsFile("{}", 0)).empty());
  CHECK(parse(safetensorsFile("{}    ", 0)).empty());
  CHECK(parse(safetensorsFile(R"({"e":{"dtype":"F32","shape":[0,5],"data_offsets":[0,0]}})", 0)).size() == 1);
}

TEST("a file cut at any byte, or longer than it says, is refused") {
  const std::string file = safetensorsFile(twoTensors, 16);
  CHECK(codeOf(file) == "nothing");
  for (std::size_t size = 0; size < file.size(); ++size) CHECK_THAT(codeOf(file.substr(0, size)) == "invalid_model", std::to_string(size));
  CHECK(codeOf(file + "x") == "invalid_model");
}

TEST("wrong lengths of the header are refused") {
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 32, std::uint64_t{1} << 63,
                                     ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    CHECK_THAT(codeOf(littleEndian(length) + "{}") == "invalid_model", std::to_string(length));
  }
}

TEST("every wrong field is refused") {
  const char* fields[] = {
      R"("dtype":"F32","shape":[3],"data_offsets":[0,11])", R"("dtype":"F32","shape":[3],"data_offsets":[0,16])",
      R"("dtype":"F32","shape":[3],"data_offsets":[12,0])", R"("dtype":"F32","shape":[3],"data_offsets":[-12,0])",
      R"("dtype":"F32","shape":[3],"data_offsets":[4,16])", R"("dtype":"F32","shape":[3],"data_offsets":[1,13])",
      R"("dtype":"F32","shape":[3],"data_offsets":[0])", R"("dtype":"F32","shape":[3],"data_offsets":[0,12,12])",
      R"("dtype":"F32","shape":[3],"data_offsets":[0,12.0])", R"("dtype":"F32","shape":[3],"data_offsets":["0","12"])",
      R"("dtype":"F32","shape":[3],"data_offsets":[0,18446744073709551616])", R"("dtype":"F32","shape":[3])",
      R"("dtype":"F32","data_offsets":[0,12])", R"("shape":[3],"data_offsets":[0,12])", R"("dtype":"I32","shape":[3],"data_offsets":[0,12])",
      R"("dtype":"f32","shape":[3],"data_offsets":[0,12])", R"("dtype":7,"shape":[3],"data_offsets":[0,12])",
      R"("dtype":"F32","shape":[-3],"data_offsets":[0,12])", R"("dtype":"F32","shape":[3.0],"data_offsets":[0,12])",
      R"("dtype":"F32","shape":["3"],"data_offsets":[0,12])", R"("dtype":"F32","shape":3,"data_offsets":[0,12])",
      R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,12])",
      R"("dtype":"F32","shape":[9223372036854775807,2],"data_offsets":[0,12])",
      R"("dtype":"F32","shape":[4611686018427387907],"data_offsets":[0,12])",  // 4 times this is 12 modulo 2^64
      R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,3],"data_offsets":[0,12])", R"("dtype":"F32","shape":[3],"data_offsets":[0,12],"x":1)",
      R"("dtype":"F32","dtype":"F32","shape":[3],"data_offsets":[0,12])"};
  for (const char* field : fields) {
    CHECK_THAT(codeOf(safetensorsFile("{\"a\":{" + std::string(field) + "}}", 12)) == "invalid_model", field);
  }
}

TEST("overlaps, holes, duplicates and wrong metadata are refused") {
  const auto pair = [](const char* first, const char* second) {
    return std::string(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":)") + first +
           R"(},"b":{"dtype":"F32","shape":[2],"data_offsets":)" + second + "}}";
  };
  CHECK(codeOf(safetensorsFile(pair("[0,8]", "[8,16]"), 16)) == "nothing");
  CHECK(codeOf(safetensorsFile(pair("[0,8]", "[0,8]"), 8)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(pair("[0,8]", "[4,12]"), 12)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(pair("[0,8]", "[12,20]"), 20)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(R"({"__metadata__":{"a":1}})", 0)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(R"({"__metadata__":[]})", 0)) == "invalid_model");
  CHECK(codeOf(safetensorsFile(R"({"a":5})", 0)) == "invalid_model");
  CHECK(codeOf(safetensorsFile("[]", 0)) == "invalid_model");
  std::string message;
  (void)codeOf(safetensorsFile(pair("[0,8]", "[4,12]"), 12), &message);
  CHECK_THAT(message == "model.safetensors: data_offsets of tensor \"b\": expected begin 8, found 4 (tensors overlap)", message);
}

TEST("16-bit floats are converted exactly") {
  CHECK(bf16ToFloat(0x3F80) == 1.0F && bf16ToFloat(0xC0A0) == -5.0F);
  CHECK(f16ToFloat(0x3C00) == 1.0F && f16ToFloat(0xC500) == -5.0F && f16ToFloat(0x0001) == 0x1p-24F && f16ToFloat(0x7BFF) == 65504.0F);
  CHECK(f16ToFloat(0x7C00) == __builtin_inff() && f16ToFloat(0x8000) == 0.0F && f16ToFloat(0x0400) == 0x1p-14F);
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = bf16ToFloat(static_cast<std::uint16_t>(bits));
    if (value == value) CHECK(floatToBf16(value) == bits);
  }
  CHECK(floatToBf16(1.00390625F) == 0x3F80 && floatToBf16(1.01171875F) == 0x3F82);  // ties go to even
}

ModelConfig configOf(const TemporaryDirectory& directory) {
  directory.write("config.json", configText);
  return loadConfig(directory.path());
}

std::string loadCode(const TemporaryDirectory& directory, std::string* message = nullptr) {
  return test::thrownCode([&] { (void)loadModel(directory.path()); }, message);
}

TEST("a written model is read back bit for bit, whole and in shards, with one digest") {
  const TemporaryDirectory directory;
  LoadedModel random = randomModel(configOf(directory), 5);
  const auto tensors = expectedTensors(random.config, random.weights);
  directory.write("model.safetensors", fileOf(tensors, 0, tensors.size()));
  const LoadedModel whole = loadModel(directory.path());
  CHECK(whole.digest == random.digest && whole.digest.size() == 32);
  CHECK(whole.weights.parameters == random.weights.parameters);
  CHECK(std::memcmp(whole.weights.layers[0].down.data, random.weights.layers[0].down.data, random.weights.layers[0].down.bytes()) == 0);
  CHECK(whole.weights.head.data == whole.weights.embedding.data);

  fs::remove(directory.path() / "model.safetensors");
  std::string map;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    map += (i > 0 ? "," : "") + ("\"" + tensors[i].name + "\":\"" + (i < 4 ? "one" : "two") + ".safetensors\"");
  }
  directory.write("one.safetensors", fileOf(tensors, 0, 4));
  directory.write("two.safetensors", fileOf(tensors, 4, tensors.size()));
  directory.write("model.safetensors.index.json", "{\"metadata\":{},\"weight_map\":{" + map + "}}");
  CHECK(loadModel(directory.path()).digest == random.digest);

  directory.write("one.safetensors", fileOf(tensors, 0, 3));
  CHECK(loadCode(directory) == "invalid_model");
  directory.write("one.safetensors", fileOf(tensors, 0, 5));
  CHECK(loadCode(directory) == "invalid_model");
  fs::remove(directory.path() / "one.safetensors");
  CHECK(loadCode(directory) == "model_not_found");
  for (const char* name : {"../one.safetensors", "/etc/hosts", "", "..", "a\\\\b"}) {
    directory.write("model.safetensors.index.json", std::string("{\"weight_map\":{\"a\":\"") + name + "\"}}");
    CHECK_THAT(loadCode(directory) == "invalid_model", name);
  }
  for (const char* text : {"", "{}", "{\"weight_map\":{}}", "{\"weight_map\":[]}", "{\"weight_map\":{\"a\":1}}"}) {
    directory.write("model.safetensors.index.json", text);
    CHECK_THAT(loadCode(directory) == "invalid_model", text);
  }
}

TEST("digests tell seeds, weights and configs apart and seeds repeat") {
  const TemporaryDirectory directory;
  ModelConfig config = configOf(directory);
  LoadedModel model = randomModel(config, 5);
  CHECK(model.digest == randomModel(config, 5).digest);
  CHECK(model.digest != randomModel(config, 6).digest);
  ModelConfig other = config;
  other.ropeTheta = 20000.0F;
  CHECK(model.digest != randomModel(other, 5).digest);
  std::vector<std::string> digests{model.digest};
  for (const RopeScaling& scaling : {RopeScaling{8, 1, 4, 64}, RopeScaling{16, 1, 4, 64}, RopeScaling{8, 2, 4, 64}, RopeScaling{8, 1, 5, 64},
                                     RopeScaling{8, 1, 4, 65}}) {
    other = config;
    other.ropeScaling = scaling;
    digests.push_back(digestModel(other, model.weights));
    CHECK(std::count(digests.begin(), digests.end(), digests.back()) == 1);
  }
  other.ropeScaling = {16, 1, 4, 0};  // without an original length nothing is scaled: the numbers beside it say nothing
  CHECK(digestModel(other, model.weights) == model.digest);
  const auto tensors = expectedTensors(model.config, model.weights);
  for (const ExpectedTensor& tensor : tensors) {
    auto* last = const_cast<std::byte*>(tensor.role->data) + tensor.role->bytes() - 1;
    *last ^= std::byte{1};
    CHECK_THAT(digestModel(model.config, model.weights) != model.digest, tensor.name);
    *last ^= std::byte{1};
  }
  CHECK(digestModel(model.config, model.weights) == model.digest);
}

TEST("tensors that do not fit the config are refused by name") {
  const TemporaryDirectory directory;
  LoadedModel random = randomModel(configOf(directory), 5);
  const auto tensors = expectedTensors(random.config, random.weights);
  const auto attempt = [&](const std::string& replace, const std::string& with, std::string* message = nullptr) {
    directory.write("model.safetensors", fileOf(tensors, 0, tensors.size(), replace, with));
    return loadCode(directory, message);
  };
  std::string message;
  CHECK(attempt("q_proj.weight\":{\"dtype\":\"BF16\",\"shape\":[8, 8]", "q_proj.weight\":{\"dtype\":\"BF16\",\"shape\":[64]", &message) == "invalid_model");
  CHECK_THAT(message == (directory.path() / "").parent_path().string() +
                            ": tensor \"model.layers.0.self_attn.q_proj.weight\": expected [8, 8] BF16, found [64] BF16", message);
  CHECK(attempt("q_proj.weight\":{\"dtype\":\"BF16\"", "q_proj.weight\":{\"dtype\":\"F16\"", &message) == "invalid_model");
  CHECK_THAT(message.find("expected [8, 8] BF16, found [8, 8] F16") != std::string::npos, message);
  CHECK(attempt("model.norm.weight", "model.norm.weird", &message) == "invalid_model");
  CHECK_THAT(message.find("\"model.norm.weight\": expected [8] BF16, found nothing") != std::string::npos, message);
  std::string extra = fileOf(tensors, 0, tensors.size());
  CHECK(attempt("{\"model.embed", "{\"model.layers.0.self_attn.q_proj.bias\":{\"dtype\":\"BF16\",\"shape\":[0],\"data_offsets\":[0,0]},\"model.embed", &message) == "invalid_model");
  CHECK_THAT(message.find("q_proj.bias\": expected no tensor of this name") != std::string::npos, message);
  CHECK(attempt("{\"model.embed", "{\"model.layers.0.self_attn.rotary_emb.inv_freq\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"model.embed") == "nothing");
}

TEST("missing files are model_not_found, unreadable ones invalid_model") {
  const TemporaryDirectory directory;
  CHECK(loadCode(directory) == "model_not_found");
  directory.write("config.json", configText);
  CHECK(loadCode(directory) == "model_not_found");
  CHECK_ERROR("model_not_found", loadModel(directory.path() / "nowhere"));
  fs::create_directory(directory.path() / "model.safetensors");
  CHECK(loadCode(directory) == "invalid_model");
  fs::remove(directory.path() / "model.safetensors");
  directory.write("model.safetensors", "");
  CHECK(loadCode(directory) == "invalid_model");
  // A named pipe must not be waited for.
  fs::remove(directory.path() / "model.safetensors");
  CHECK(::mkfifo((directory.path() / "model.safetensors").c_str(), 0600) == 0);
  CHECK(loadCode(directory) == "invalid_model");
}

}  // namespace
}  // namespace foretrace

int main(int argc, char** argv) { return foretrace::test::runTests(argc > 1 ? argv[1] : nullptr); }
