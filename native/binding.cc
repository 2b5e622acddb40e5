// The export list of the addon: NativeAddon in src/native/addon-types.ts.
#include <napi.h>

#include <memory>
#include <utility>

#include "binding/arguments.h"
#include "binding/bench_object.h"
#include "binding/engine_object.h"
#include "binding/errors.h"
#include "binding/promise.h"
#include "cpu/features.h"
#include "cuda/cuda_device.h"
#include "engine/load.h"

namespace foretrace::binding {

namespace {

Napi::Value load(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    return PromisedWork<std::unique_ptr<Engine>>::start(
        info.Env(), "foretrace load", [options = readLoadOptions(info[0])] { return loadEngine(options); },
        [](Napi::Env env, std::unique_ptr<Engine>&& engine) { return createEngineObject(env, std::move(engine)); });
  });
}

Napi::Value features(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    Napi::Object result = Napi::Object::New(info.Env());
    Napi::Array isas = Napi::Array::New(info.Env());
    for (const Isa isa : availableIsas()) isas.Set(isas.Length(), isaName(isa));
    result.Set("version", FORETRACE_VERSION);
    result.Set("isas", isas);
    const CudaProbe cuda = probeCuda();
    Napi::Array devices = Napi::Array::New(info.Env());
    if (cuda.available) devices.Set(devices.Length(), cuda.name);
    result.Set("cuda", cuda.compiled);
    result.Set("cudaDevices", devices);
    return result;
  });
}

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  exports.Set("loadEngine", Napi::Function::New<load>(env, "loadEngine"));
  exports.Set("features", Napi::Function::New<features>(env, "features"));
  exports.Set("measureMachine", Napi::Function::New<measureMachine>(env, "measureMachine"));
  exports.Set("openBench", Napi::Function::New<openBench>(env, "openBench"));
  return exports;
}

}  // namespace

NODE_API_MODULE(foretrace, initialize)

}  // namespace foretrace::binding
