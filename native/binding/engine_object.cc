#include "binding/engine_object.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "binding/arguments.h"
#include "binding/engine_handle.h"
#include "binding/errors.h"

namespace foretrace::binding {

namespace {

using Info = const Napi::CallbackInfo&;

EngineHandle& handleOf(Info info) { return EngineHandle::of(info.This()); }

/// The engine of `this`, idle. Called after the arguments have been read, for reading may run the caller's getters.
Engine& idleEngine(Info info) { return handleOf(info).idle(); }

template <typename Element, typename Array>
Array copyToArray(Napi::Env env, std::span<const Element> values) {
  Array array = Array::New(env, values.size());
  std::ranges::copy(values, array.Data());
  return array;
}

Napi::Value attach(Info info) {
  return guarded(info.Env(), [&] {
    handleOf(info).attach(info[0], info[1], info[2]);
    return info.Env().Undefined();
  });
}

Napi::Value addGrammar(Info info) {
  return guarded(info.Env(), [&] {
    GrammarData data = readGrammar(info[0]);
    return Napi::Number::New(info.Env(), idleEngine(info).addGrammar(std::move(data)));
  });
}

Napi::Value removeGrammar(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t grammar = readInt32(info[0], "grammar");
    idleEngine(info).removeGrammar(grammar);
    return info.Env().Undefined();
  });
}

Napi::Value open(Info info) {
  return guarded(info.Env(), [&] {
    const auto tokens = readArray<std::int32_t>(info[0], "tokens");
    const std::int32_t reserve = readInt32(info[1], "reserve");
    const Engine::Opened opened = idleEngine(info).open(tokens, reserve);
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("sequence", opened.sequence);
    result.Set("cachedTokens", opened.cachedTokens);
    return result;
  });
}

Napi::Value fork(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    const std::int32_t length = readInt32(info[1], "length");
    const std::int32_t reserve = readInt32(info[2], "reserve");
    return Napi::Number::New(info.Env(), idleEngine(info).fork(sequence, length, reserve));
  });
}

Napi::Value append(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    const auto tokens = readArray<std::int32_t>(info[1], "tokens");
    const std::int32_t reserve = readInt32(info[2], "reserve");
    idleEngine(info).append(sequence, tokens, reserve);
    return info.Env().Undefined();
  });
}

Napi::Value truncate(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    const std::int32_t length = readInt32(info[1], "length");
    idleEngine(info).truncate(sequence, length);
    return info.Env().Undefined();
  });
}

Napi::Value close(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    idleEngine(info).close(sequence);
    return info.Env().Undefined();
  });
}

Napi::Value generate(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    const GenerationOptions options = readGeneration(info[1]);
    idleEngine(info).generate(sequence, options);
    return info.Env().Undefined();
  });
}

Napi::Value tokens(Info info) {
  return guarded(info.Env(), [&] {
    const std::int32_t sequence = readInt32(info[0], "sequence");
    return copyToArray<std::int32_t, Napi::Int32Array>(info.Env(), idleEngine(info).tokens(sequence));
  });
}

Napi::Value step(Info info) {
  return guarded(info.Env(), [&] { return handleOf(info).step(info.This().As<Napi::Object>(), info[0]); });
}

Napi::Value stepSync(Info info) {
  return guarded(info.Env(), [&] { return handleOf(info).stepSync(info[0]); });
}

Napi::Value interrupt(Info info) {
  return guarded(info.Env(), [&] {
    handleOf(info).open().interrupt();
    return info.Env().Undefined();
  });
}

Napi::Value stats(Info info) {
  return guarded(info.Env(), [&] {
    const MemoryStats stats = handleOf(info).open().stats();
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("totalPages", stats.totalPages);
    result.Set("freePages", stats.freePages);
    result.Set("cachedPages", stats.cachedPages);
    result.Set("usedPages", stats.usedPages);
    result.Set("openSequences", stats.openSequences);
    result.Set("evictions", static_cast<double>(stats.evictions));
    result.Set("copiedTokens", static_cast<double>(stats.copiedTokens));
    result.Set("mergedPages", static_cast<double>(stats.mergedPages));
    result.Set("hostPages", stats.hostPages);
    result.Set("usedHostPages", stats.usedHostPages);
    result.Set("storedPages", static_cast<double>(stats.storedPages));
    result.Set("restoredPages", static_cast<double>(stats.restoredPages));
    result.Set("droppedPages", static_cast<double>(stats.droppedPages));
    return result;
  });
}

Napi::Value checkInvariants(Info info) {
  return guarded(info.Env(), [&] {
    idleEngine(info).checkInvariants();
    return info.Env().Undefined();
  });
}

Napi::Value logits(Info info) {
  return guarded(info.Env(), [&] {
    const auto given = readArray<std::int32_t>(info[0], "tokens");
    const std::vector<float> values = idleEngine(info).logits(given);
    return copyToArray<float, Napi::Float32Array>(info.Env(), values);
  });
}

Napi::Value clearCache(Info info) {
  return guarded(info.Env(), [&] {
    idleEngine(info).clearCache();
    return info.Env().Undefined();
  });
}

Napi::Value dispose(Info info) {
  return guarded(info.Env(), [&] { return handleOf(info).dispose(); });
}

Napi::Object infoObject(Napi::Env env, const EngineInfo& info) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("architecture", info.architecture);
  object.Set("vocabSize", info.vocabSize);
  object.Set("hiddenSize", info.hiddenSize);
  object.Set("layers", info.layers);
  object.Set("heads", info.heads);
  object.Set("kvHeads", info.kvHeads);
  object.Set("maxContext", info.maxContext);
  object.Set("parameters", static_cast<double>(info.parameters));
  object.Set("weightBytes", static_cast<double>(info.weightBytes));
  object.Set("kvBytesPerToken", static_cast<double>(info.kvBytesPerToken));
  object.Set("pages", info.pages);
  object.Set("pageTokens", info.pageTokens);
  object.Set("device", info.device);
  object.Set("deviceReason", info.deviceReason);
  object.Set("isa", info.isa);
  object.Set("dtype", info.dtype);
  object.Set("threads", info.threads);
  object.Set("modelDigest", info.modelDigest);
  return object;
}

template <Napi::Function::Callback method>
void define(Napi::Object object, const char* name) {
  object.Set(name, Napi::Function::New<method>(object.Env(), name));
}

}  // namespace

Napi::Object createEngineObject(Napi::Env env, std::unique_ptr<Engine> engine) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("info", infoObject(env, engine->info()));
  define<attach>(object, "attach");
  define<addGrammar>(object, "addGrammar");
  define<removeGrammar>(object, "removeGrammar");
  define<open>(object, "open");
  define<fork>(object, "fork");
  define<append>(object, "append");
  define<truncate>(object, "truncate");
  define<close>(object, "close");
  define<generate>(object, "generate");
  define<tokens>(object, "tokens");
  define<step>(object, "step");
  define<stepSync>(object, "stepSync");
  define<interrupt>(object, "interrupt");
  define<stats>(object, "stats");
  define<checkInvariants>(object, "checkInvariants");
  define<logits>(object, "logits");
  define<clearCache>(object, "clearCache");
  define<dispose>(object, "dispose");
  EngineHandle::tie(std::make_unique<EngineHandle>(env, std::move(engine)), object);
  return object;
}

}  // namespace foretrace::binding
