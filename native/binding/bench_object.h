// The measuring functions of NativeAddon in src/native/addon-types.ts.
#pragma once

#include <napi.h>

namespace foretrace::binding {

Napi::Value measureMachine(const Napi::CallbackInfo& info);
Napi::Value openBench(const Napi::CallbackInfo& info);

}  // namespace foretrace::binding
