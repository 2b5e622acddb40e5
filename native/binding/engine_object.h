// The JavaScript object of one engine: NativeEngine in src/native/addon-types.ts.
#pragma once

#include <napi.h>

#include <memory>

#include "engine/engine.h"

namespace foretrace::binding {

/// Makes the object. Takes the engine over; throws a coded error if the object cannot be made.
[[nodiscard]] Napi::Object createEngineObject(Napi::Env env, std::unique_ptr<Engine> engine);

}  // namespace foretrace::binding
