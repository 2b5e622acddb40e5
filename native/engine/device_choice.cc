#include "engine/device_choice.h"

namespace foretrace {

DeviceChoice chooseDevice(const std::string& wanted, const CudaProbe& probe, bool proven) {
  if (wanted != "auto") return {wanted, ""};
  if (!probe.available) return {"cpu", "runs on the CPU: " + probe.reason};
  const std::string gpu = probe.name + " (" + probe.isa + ")";
  if (proven) return {"cuda", "runs on " + gpu};
  return {"cpu", "runs on the CPU although there is " + gpu + ": the CUDA engine has not been proven on a GPU yet; --device cuda uses it"};
}

}  // namespace foretrace
