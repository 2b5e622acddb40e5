#include "binding/engine_handle.h"

#include <algorithm>
#include <string>
#include <utility>

#include "binding/arguments.h"
#include "binding/errors.h"
#include "binding/exit_guard.h"

namespace foretrace::binding {

namespace {

/// Marks objects of this addon: unwrapping anything else would read foreign memory.
constexpr napi_type_tag engineTag{0x1f6b0c2d9a574e83ULL, 0xa4c7e5d10b3f4962ULL};

void check(Napi::Env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

template <typename Element>
ArrayView<Element> viewRing(const Napi::ObjectReference& ring, const char* name) {
  if (ring.IsEmpty()) throw Error(ErrorCode::invalid_argument, name, "attach to be called first", "no ring buffer");
  const ArrayView<Element> view = viewArray<Element>(ring.Value(), name);
  if (view.length == 0) throw Error(ErrorCode::invalid_argument, name, "a buffer with room", "an empty or detached one");
  return view;
}

}  // namespace

EngineHandle::EngineHandle(Napi::Env env, std::unique_ptr<Engine> engine) : env_(env), engine_(std::move(engine)) {
  check(env, napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, "foretrace engine"), 0, 1,
                                             nullptr, nullptr, this, &EngineHandle::onCompletion, &channel_));
  check(env, napi_unref_threadsafe_function(env, channel_));
  // Hooks run in reverse order, so this one runs while the thread-safe function still exists.
  check(env, napi_add_env_cleanup_hook(env, &EngineHandle::onEnvironmentEnd, this));
  shutDownAtExit(engine_.get());
}

EngineHandle::~EngineHandle() {
  if (!environmentEnded_) {
    napi_remove_env_cleanup_hook(env_, &EngineHandle::onEnvironmentEnd, this);
    endEngine();
    if (channel_ != nullptr) napi_release_threadsafe_function(channel_, napi_tsfn_abort);
  }
}

void EngineHandle::tie(std::unique_ptr<EngineHandle> handle, Napi::Object object) {
  const Napi::Env env = object.Env();
  check(env, napi_type_tag_object(env, object, &engineTag));
  const auto finalize = [](napi_env, void* data, void*) { delete static_cast<EngineHandle*>(data); };
  check(env, napi_wrap(env, object, handle.get(), finalize, nullptr, nullptr));
  static_cast<void>(handle.release());
}

EngineHandle& EngineHandle::of(const Napi::Value& object) {
  bool tagged = false;
  void* data = nullptr;
  const bool found = object.IsObject() &&
                     napi_check_object_type_tag(object.Env(), object, &engineTag, &tagged) == napi_ok && tagged &&
                     napi_unwrap(object.Env(), object, &data) == napi_ok && data != nullptr;
  if (!found) throw Error(ErrorCode::invalid_argument, "this", "an engine", "something else");
  return *static_cast<EngineHandle*>(data);
}

Engine& EngineHandle::open() const {
  if (engine_ == nullptr || !disposals_.empty()) {
    throw Error(ErrorCode::engine_closed, "the engine has been closed");
  }
  return *engine_;
}

Engine& EngineHandle::idle() const {
  Engine& engine = open();
  if (pending_) throw Error(ErrorCode::engine_busy, "the engine is running a step");
  return engine;
}

void EngineHandle::attach(const Napi::Value& request, const Napi::Value& response,
                          const Napi::Value& logProbabilities) {
  static_cast<void>(idle());
  static_cast<void>(viewArray<std::int32_t>(request, "request"));
  static_cast<void>(viewArray<std::int32_t>(response, "response"));
  static_cast<void>(viewArray<float>(logProbabilities, "logProbabilities"));
  request_ = Napi::Persistent(request.As<Napi::Object>());
  response_ = Napi::Persistent(response.As<Napi::Object>());
  logProbabilities_ = Napi::Persistent(logProbabilities.As<Napi::Object>());
}

StepRequest EngineHandle::prepare(const Napi::Value& options) const {
  // Reading options may run the caller's getters, so the engine and the buffers are looked at afterwards.
  const StepArguments step = readStep(options);
  const Engine& engine = idle();
  const auto request = viewRing<std::int32_t>(request_, "request");
  const auto response = viewRing<std::int32_t>(response_, "response");
  const auto logProbabilities = viewRing<float>(logProbabilities_, "logProbabilities");
  const auto words = static_cast<std::size_t>(step.words);
  if (words > request.length) {
    throw Error(ErrorCode::invalid_argument, "words", "at most " + std::to_string(request.length),
                std::to_string(words));
  }
  return engine.prepare({request.data, words}, step.options, response.length, logProbabilities.length);
}

Napi::Object EngineHandle::deliver(const StepResult& result) const {
  const auto response = viewRing<std::int32_t>(response_, "response");
  const auto logProbabilities = viewRing<float>(logProbabilities_, "logProbabilities");
  if (result.response.size() > response.length || result.logProbabilities.size() > logProbabilities.length) {
    throw Error(ErrorCode::invalid_argument, "response", "the buffers the step was begun with", "smaller ones");
  }
  std::ranges::copy(result.response, response.data);
  std::ranges::copy(result.logProbabilities, logProbabilities.data);
  Napi::Object summary = Napi::Object::New(env_);
  summary.Set("words", result.summary.words);
  summary.Set("iterations", result.summary.iterations);
  summary.Set("rows", static_cast<double>(result.summary.rows));
  summary.Set("computeMicros", static_cast<double>(result.summary.computeMicros));
  if (!result.summary.failure.empty()) summary.Set("failure", result.summary.failure);
  return summary;
}

Napi::Value EngineHandle::stepSync(const Napi::Value& options) {
  const StepRequest request = prepare(options);
  return deliver(engine_->run(request));
}

Napi::Value EngineHandle::step(Napi::Object self, const Napi::Value& options) {
  StepRequest request = prepare(options);
  const auto deferred = Napi::Promise::Deferred::New(env_);
  engine_->start(std::move(request), [channel = channel_](StepResult result, std::optional<Error> failure) {
    auto completion = std::make_unique<Completion>(Completion{std::move(result), std::move(failure)});
    // The call only fails when the environment is ending: then nobody waits for the promise.
    if (napi_call_threadsafe_function(channel, completion.get(), napi_tsfn_nonblocking) == napi_ok) {
      static_cast<void>(completion.release());
    }
  });
  // Only a step that has begun may keep the process alive: its completion lets go of the channel and of the object. It
  // runs on this thread, so not before this.
  pending_ = deferred;
  self_ = Napi::Persistent(self);
  check(env_, napi_ref_threadsafe_function(env_, channel_));
  return deferred.Promise();
}

void EngineHandle::onCompletion(napi_env env, napi_value, void* context, void* data) {
  const std::unique_ptr<Completion> completion(static_cast<Completion*>(data));
  if (env == nullptr) return;  // the environment is ending
  try {
    static_cast<EngineHandle*>(context)->finishStep(*completion);
  } catch (...) {
    // Only a terminating worker refuses to settle a promise, and then nobody waits for it.
  }
}

void EngineHandle::finishStep(const Completion& completion) {
  const Napi::HandleScope scope(env_);
  const Napi::Promise::Deferred deferred = *pending_;
  const Napi::ObjectReference self = std::exchange(self_, Napi::ObjectReference());
  pending_.reset();
  napi_unref_threadsafe_function(env_, channel_);
  try {
    guarded(env_, [&] {
      if (completion.failure) throw *completion.failure;
      deferred.Resolve(deliver(completion.result));
    });
  } catch (const Napi::Error& error) {
    deferred.Reject(error.Value());
  }
  if (!disposals_.empty()) finishDispose();
}

Napi::Value EngineHandle::dispose() {
  const auto deferred = Napi::Promise::Deferred::New(env_);
  disposals_.push_back(deferred);
  if (!pending_) {
    finishDispose();
  } else {
    engine_->refuseWork();
  }
  return deferred.Promise();
}

void EngineHandle::finishDispose() {
  endEngine();
  for (const Napi::Promise::Deferred& deferred : std::exchange(disposals_, {})) deferred.Resolve(env_.Undefined());
}

void EngineHandle::endEngine() noexcept {
  if (engine_ == nullptr) return;
  engine_->shutDown();
  forgetAtExit(engine_.get());
  engine_.reset();
}

void EngineHandle::onEnvironmentEnd(void* handle) {
  auto& self = *static_cast<EngineHandle*>(handle);
  self.environmentEnded_ = true;
  self.endEngine();
}

}  // namespace foretrace::binding
