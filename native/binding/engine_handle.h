// What stands behind the JavaScript object of one engine: the engine, its ring buffers and the promises it owes.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "engine/types.h"

namespace foretrace::binding {

/// Lives on the JavaScript thread of one environment. The engine thread reaches it through one thread-safe function
/// only. It ends by `dispose`, by garbage collection or with its environment, whichever comes first; each joins the
/// engine thread.
class EngineHandle {
 public:
  EngineHandle(Napi::Env env, std::unique_ptr<Engine> engine);
  EngineHandle(const EngineHandle&) = delete;
  EngineHandle& operator=(const EngineHandle&) = delete;
  ~EngineHandle();

  /// The handle of a JavaScript object; throws `invalid_argument` for anything but an engine.
  [[nodiscard]] static EngineHandle& of(const Napi::Value& object);
  /// Ties this handle to an object, which owns it from then on.
  static void tie(std::unique_ptr<EngineHandle> handle, Napi::Object object);

  /// The engine while it is neither closed nor stepping; throws `engine_closed` or `engine_busy` otherwise.
  [[nodiscard]] Engine& idle() const;
  /// The engine while it is not closed.
  [[nodiscard]] Engine& open() const;

  void attach(const Napi::Value& request, const Napi::Value& response, const Napi::Value& logProbabilities);
  Napi::Value step(Napi::Object self, const Napi::Value& options);
  Napi::Value stepSync(const Napi::Value& options);
  Napi::Value dispose();

 private:
  /// What the engine thread hands over when a step ends.
  struct Completion {
    StepResult result;
    std::optional<Error> failure;
  };

  static void onCompletion(napi_env env, napi_value callback, void* context, void* data);
  static void onEnvironmentEnd(void* handle);
  [[nodiscard]] StepRequest prepare(const Napi::Value& options) const;
  [[nodiscard]] Napi::Object deliver(const StepResult& result) const;
  void finishStep(const Completion& completion);
  void finishDispose();
  void endEngine() noexcept;

  Napi::Env env_;
  std::unique_ptr<Engine> engine_;
  napi_threadsafe_function channel_ = nullptr;
  Napi::ObjectReference request_;
  Napi::ObjectReference response_;
  Napi::ObjectReference logProbabilities_;
  Napi::ObjectReference self_;  ///< held while a step is in flight
  std::optional<Napi::Promise::Deferred> pending_;
  std::vector<Napi::Promise::Deferred> disposals_;
  bool environmentEnded_ = false;
};

}  // namespace foretrace::binding
