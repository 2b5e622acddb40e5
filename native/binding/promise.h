// Work on a thread of the libuv pool that ends in a promise.
#pragma once

#include <napi.h>

#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "binding/errors.h"

namespace foretrace::binding {

/// Runs `work` (no JavaScript) on a pool thread and resolves with what `build` makes of its result on the JavaScript
/// thread. Deletes itself when it is done.
template <typename Result>
class PromisedWork final : public Napi::AsyncWorker {
 public:
  using Work = std::function<Result()>;
  using Build = std::function<Napi::Value(Napi::Env, Result&&)>;

  static Napi::Promise start(Napi::Env env, const char* name, Work work, Build build) {
    auto worker = std::make_unique<PromisedWork>(env, name, std::move(work), std::move(build));
    const Napi::Promise promise = worker->deferred_.Promise();
    worker->Queue();
    static_cast<void>(worker.release());
    return promise;
  }

  PromisedWork(Napi::Env env, const char* name, Work work, Build build)
      : Napi::AsyncWorker(env, name), work_(std::move(work)), build_(std::move(build)),
        deferred_(Napi::Promise::Deferred::New(env)) {}

 private:
  void Execute() override {
    try {
      result_.emplace(work_());
    } catch (const Error& error) {
      failure_ = error;
    } catch (const std::bad_alloc&) {
      failure_ = Error(ErrorCode::internal, "out of memory");
    } catch (const std::exception& error) {
      failure_ = Error(ErrorCode::internal, error.what());
    }
  }

  void OnOK() override {
    try {
      guarded(Env(), [&] {
        if (failure_) throw *failure_;
        deferred_.Resolve(build_(Env(), std::move(*result_)));
      });
    } catch (const Napi::Error& error) {
      deferred_.Reject(error.Value());
    }
  }

  Work work_;
  Build build_;
  Napi::Promise::Deferred deferred_;
  std::optional<Result> result_;
  std::optional<Error> failure_;
};

}  // namespace foretrace::binding
