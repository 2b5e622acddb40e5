#include "io/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/error.h"
#include "io/json.h"

namespace foretrace {
namespace {

constexpr std::size_t lengthBytes = 8;
constexpr std::uint64_t maxHeaderBytes = std::uint64_t{100} << 20;
constexpr std::size_t maxExtents = 8;
constexpr std::int64_t maxElements = std::numeric_limits<std::int64_t>::max() / 8;

/// Parsed entry of the header, before its bytes are known to exist.
struct Entry {
  NamedTensor tensor;
  std::int64_t begin = 0;  ///< offsets into the data section
  std::int64_t end = 0;
};

[[noreturn]] void fail(std::string_view what, const std::string& name, std::string_view expected,
                       std::string_view actual) {
  throw Error(ErrorCode::invalid_model, std::string(what) + ": " + name, expected, actual);
}

std::string describe(const JsonValue* value) { return value == nullptr ? "nothing" : value->describe(); }

std::uint64_t readLength(std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = lengthBytes; i-- > 0;) length = (length << 8) | std::to_integer<std::uint64_t>(bytes[i]);
  return length;
}

/// The JSON text of the header, with its length checked.
std::string_view headerText(std::span<const std::byte> bytes, std::string_view what) {
  if (bytes.size() < lengthBytes) fail(what, "size", "at least 8 bytes", std::to_string(bytes.size()));
  const std::uint64_t length = readLength(bytes);
  const std::uint64_t available = bytes.size() - lengthBytes;
  if (length > available || length > maxHeaderBytes) {
    fail(what, "header length", "at most " + std::to_string(std::min(available, maxHeaderBytes)) + " bytes",
         std::to_string(length));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + lengthBytes, static_cast<std::size_t>(length)};
}

DType parseDType(std::string_view what, const std::string& name, const JsonValue* value) {
  const std::string* text = value == nullptr ? nullptr : value->string();
  if (text != nullptr) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      if (*text == dtypeName(dtype)) return dtype;
    }
  }
  fail(what, "dtype of tensor \"" + name + "\"", "F32, BF16 or F16", describe(value));
}

std::vector<std::int64_t> parseShape(std::string_view what, const std::string& name, const JsonValue* value) {
  const std::string label = "shape of tensor \"" + name + "\"";
  const JsonArray* items = value == nullptr ? nullptr : value->array();
  if (items == nullptr || items->size() > maxExtents) fail(what, label, "an array of at most 8 extents", describe(value));
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  for (const JsonValue& item : *items) {
    const JsonNumber* extent = item.number();
    if (extent == nullptr || !extent->isInteger || extent->integer < 0) {
      fail(what, label, "non-negative integers", item.describe());
    }
    if (extent->integer != 0 && elements > maxElements / extent->integer) {
      fail(what, label, "at most 2^60 elements", "more");
    }
    elements *= extent->integer;
    shape.push_back(extent->integer);
  }
  return shape;
}

void parseOffsets(std::string_view what, Entry& entry, const JsonValue* value, std::int64_t dataBytes) {
  const std::string label = "data_offsets of tensor \"" + entry.tensor.name + "\"";
  const JsonArray* items = value == nullptr ? nullptr : value->array();
  if (items == nullptr || items->size() != 2) fail(what, label, "an array of 2 integers", describe(value));
  for (const JsonValue& item : *items) {
    const JsonNumber* offset = item.number();
    if (offset == nullptr || !offset->isInteger || offset->integer < 0 || offset->integer > dataBytes) {
      fail(what, label, "integers from 0 to " + std::to_string(dataBytes), item.describe());
    }
  }
  entry.begin = (*items)[0].number()->integer;
  entry.end = (*items)[1].number()->integer;
  const auto expected = static_cast<std::int64_t>(entry.tensor.view.bytes());
  if (entry.begin > entry.end || entry.end - entry.begin != expected) {
    fail(what, label, std::to_string(expected) + " bytes for " + shapeText(entry.tensor.view.shape) + " " +
                          dtypeName(entry.tensor.view.dtype),
         std::to_string(entry.begin) + " to " + std::to_string(entry.end));
  }
}

Entry parseEntry(std::string_view what, const std::string& name, const JsonValue& value, std::int64_t dataBytes) {
  const JsonObject* fields = value.object();
  if (fields == nullptr) fail(what, "tensor \"" + name + "\"", "an object", value.describe());
  for (const auto& field : *fields) {
    if (field.first != "dtype" && field.first != "shape" && field.first != "data_offsets") {
      fail(what, "tensor \"" + name + "\"", "the fields dtype, shape and data_offsets", "\"" + field.first + "\"");
    }
  }
  Entry entry;
  entry.tensor.name = name;
  entry.tensor.view.dtype = parseDType(what, name, value.find("dtype"));
  entry.tensor.view.shape = parseShape(what, name, value.find("shape"));
  parseOffsets(what, entry, value.find("data_offsets"), dataBytes);
  return entry;
}

void checkMetadata(std::string_view what, const JsonValue& metadata) {
  const JsonObject* members = metadata.object();
  if (members == nullptr) fail(what, "__metadata__", "an object of strings", metadata.describe());
  for (const auto& member : *members) {
    if (member.second.string() == nullptr) {
      fail(what, "__metadata__." + member.first, "a string", member.second.describe());
    }
  }
}

/// Sorted by offset, each tensor must begin where the one before it ended.
void checkTiling(std::string_view what, std::vector<Entry>& entries, std::int64_t dataBytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::int64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      fail(what, "data_offsets of tensor \"" + entry.tensor.name + "\"", "begin " + std::to_string(position),
           std::to_string(entry.begin) + (entry.begin < position ? " (tensors overlap)" : " (bytes of no tensor)"));
    }
    position = entry.end;
  }
  if (position != dataBytes) {
    fail(what, "data section", std::to_string(position) + " bytes", std::to_string(dataBytes));
  }
}

}  // namespace

std::vector<NamedTensor> parseSafetensors(std::span<const std::byte> bytes, std::string_view what) {
  const std::string_view text = headerText(bytes, what);
  if (text.empty() || text.front() != '{') fail(what, "header", "a JSON object", "something else");
  const JsonValue header = parseJson(text, what);
  const std::span<const std::byte> data = bytes.subspan(lengthBytes + text.size());
  const auto dataBytes = static_cast<std::int64_t>(data.size());

  std::vector<Entry> entries;
  for (const auto& [name, value] : *header.object()) {
    if (name == "__metadata__") {
      checkMetadata(what, value);
    } else {
      entries.push_back(parseEntry(what, name, value, dataBytes));
    }
  }
  checkTiling(what, entries, dataBytes);

  std::vector<NamedTensor> tensors;
  tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    entry.tensor.view.data = data.data() + entry.begin;
    tensors.push_back(std::move(entry.tensor));
  }
  return tensors;
}

}  // namespace foretrace
