#include "cpu/weight_type.h"

#include <string>

#include "core/error.h"

namespace foretrace {

const char* weightTypeName(WeightType type) noexcept {
  switch (type) {
    case WeightType::fp32: return "fp32";
    case WeightType::bf16: return "bf16";
    case WeightType::int8: return "int8";
  }
  return "?";
}

WeightType resolveWeightType(std::string_view name, std::string_view recommended) {
  if (name == "auto") return recommended.empty() ? WeightType::bf16 : resolveWeightType(recommended);
  for (const WeightType type : {WeightType::fp32, WeightType::bf16, WeightType::int8}) {
    if (name == weightTypeName(type)) return type;
  }
  throw Error(ErrorCode::invalid_argument, "dtype", "auto, fp32, bf16 or int8", "\"" + std::string(name) + "\"");
}

}  // namespace foretrace
