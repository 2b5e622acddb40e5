// Native errors as JavaScript errors with a `code`.
#pragma once

#include <napi.h>

#include <exception>
#include <new>
#include <utility>

#include "core/error.h"

namespace foretrace::binding {

/// An Error object with the properties code, and expected and actual where they are known.
[[nodiscard]] inline Napi::Error toJavaScript(Napi::Env env, const Error& error) {
  Napi::Error result = Napi::Error::New(env, error.message());
  Napi::Object object = result.Value();
  object.Set("code", error.codeName());
  if (!error.expected().empty()) object.Set("expected", error.expected());
  if (!error.actual().empty()) object.Set("actual", error.actual());
  return result;
}

/// Runs `action`; whatever native code throws leaves as a coded JavaScript error.
template <typename Action>
auto guarded(Napi::Env env, Action action) -> decltype(action()) {
  try {
    return action();
  } catch (const Napi::Error&) {
    throw;
  } catch (const Error& error) {
    throw toJavaScript(env, error);
  } catch (const std::bad_alloc&) {
    throw toJavaScript(env, Error(ErrorCode::internal, "out of memory"));
  } catch (const std::exception& error) {
    throw toJavaScript(env, Error(ErrorCode::internal, error.what()));
  }
}

}  // namespace foretrace::binding
