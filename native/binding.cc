// The export list of the addon: NativeAddon in src/native/addon-types.ts.
#include <napi.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "binding/arguments.h"
#include "binding/engine_object.h"
#include "binding/errors.h"
#include "cpu/features.h"
#include "cuda/cuda_device.h"
#include "engine/load.h"

namespace foretrace::binding {

namespace {

/// Loads a model on a thread of the libuv pool; once per engine.
class LoadWorker final : public Napi::AsyncWorker {
 public:
  LoadWorker(Napi::Env env, LoadOptions options)
      : Napi::AsyncWorker(env, "foretrace load"), options_(std::move(options)),
        deferred_(Napi::Promise::Deferred::New(env)) {}

  [[nodiscard]] Napi::Promise promise() const { return deferred_.Promise(); }

 private:
  void Execute() override {
    try {
      engine_ = loadEngine(options_);
    } catch (const Error& error) {
      failure_ = error;
    } catch (const std::bad_alloc&) {
      failure_ = Error(ErrorCode::internal, "out of memory while the model was loaded");
    } catch (const std::exception& error) {
      failure_ = Error(ErrorCode::internal, error.what());
    }
  }

  void OnOK() override {
    try {
      guarded(Env(), [&] {
        if (failure_) throw *failure_;
        deferred_.Resolve(createEngineObject(Env(), std::move(engine_)));
      });
    } catch (const Napi::Error& error) {
      deferred_.Reject(error.Value());
    }
  }

  LoadOptions options_;
  Napi::Promise::Deferred deferred_;
  std::unique_ptr<Engine> engine_;
  std::optional<Error> failure_;
};

Napi::Value load(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    auto worker = std::make_unique<LoadWorker>(info.Env(), readLoadOptions(info[0]));
    const Napi::Promise promise = worker->promise();
    worker->Queue();
    static_cast<void>(worker.release());  // deletes itself when it is done
    return promise;
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
  return exports;
}

}  // namespace

NODE_API_MODULE(foretrace, initialize)

}  // namespace foretrace::binding
