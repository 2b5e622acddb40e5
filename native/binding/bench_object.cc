#include "binding/bench_object.h"

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bench/machine.h"
#include "bench/measure.h"
#include "binding/arguments.h"
#include "binding/errors.h"
#include "binding/promise.h"
#include "core/error.h"

namespace foretrace::binding {

namespace {

using Info = const Napi::CallbackInfo&;

constexpr std::int64_t mostThreads = 1024;
constexpr std::int64_t mostTokens = 1 << 22;
constexpr std::int64_t mostRows = 1 << 16;
constexpr WeightType allTypes[] = {WeightType::fp32, WeightType::bf16, WeightType::int8};

std::int32_t field(const Napi::Object& object, const char* name, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(readInteger(object.Get(name), name, low, high));
}

std::int32_t threadsOf(const Napi::Object& options) {
  const std::int32_t asked = field(options, "threads", 0, mostThreads);
  return asked > 0 ? asked : availableProcessors();
}

/// What the JavaScript object of one bench holds. Its methods share it; one measurement runs at a time.
struct OpenBench {
  std::unique_ptr<bench::Bench> bench;
  bool busy = false;
};

struct Opened {
  std::unique_ptr<bench::Bench> bench;
  std::int64_t parameters = 0;
};

bench::Workload readWorkload(const Napi::Object& object) {
  bench::Workload workload;
  const std::string phase = readString(object.Get("phase"), "phase");
  if (phase != "prefill" && phase != "decode") {
    throw Error(ErrorCode::invalid_argument, "phase", "prefill or decode", phase);
  }
  workload.prefill = phase == "prefill";
  workload.batch = field(object, "batch", 1, mostRows);
  workload.context = field(object, "context", 1, mostTokens);
  workload.shared = readBoolean(object.Get("shared"), "shared");
  return workload;
}

Napi::Value measurementObject(Napi::Env env, const bench::Measurement& found) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("seconds", found.seconds);
  result.Set("repeats", found.repeats);
  result.Set("rows", static_cast<double>(found.rows));
  result.Set("bytes", found.bytes);
  result.Set("operations", found.operations);
  result.Set("productShare", found.productShare);
  result.Set("attentionShare", found.attentionShare);
  return result;
}

/// Runs `work` on a thread of its own and waits for it. A peer in the same process may have left its tiles configured in the pool
/// thread that waits, and count on them (llama.cpp configures them once a thread).
template <typename Work>
auto apart(const Work& work) {
  return std::async(std::launch::async, work).get();
}

/// Runs work on the bench while a pool thread waits; the object's state says that it is busy until then.
template <typename Result>
Napi::Value run(Napi::Env env, const std::shared_ptr<OpenBench>& open, std::function<Result(bench::Bench&)> work,
                typename PromisedWork<Result>::Build build) {
  if (open->bench == nullptr) throw Error(ErrorCode::engine_closed, "the bench is closed");
  if (open->busy) throw Error(ErrorCode::engine_busy, "a measurement is running");
  open->busy = true;
  // The flag falls on the JavaScript thread however the work ends, before the promise settles.
  const auto lower = std::shared_ptr<void>(nullptr, [open](void*) { open->busy = false; });
  return PromisedWork<Result>::start(
      env, "foretrace bench", [open, work = std::move(work)] { return apart([&] { return work(*open->bench); }); },
      [lower, build = std::move(build)](Napi::Env env, Result&& result) { return build(env, std::move(result)); });
}

Napi::Value measure(Info info, const std::shared_ptr<OpenBench>& open) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object object = readObject(info[0], "workload");
    const bench::Workload workload = readWorkload(object);
    const double seconds = readNumber(object.Get("seconds"), "seconds");
    if (!(seconds >= 0 && seconds <= 3600)) {
      throw Error(ErrorCode::invalid_argument, "seconds", "0 to 3600", std::to_string(seconds));
    }
    return run<bench::Measurement>(
        info.Env(), open, [workload, seconds](bench::Bench& bench) { return bench.measure(workload, seconds); },
        [](Napi::Env env, bench::Measurement&& found) { return measurementObject(env, found); });
  });
}

Napi::Value runPasses(Info info, const std::shared_ptr<OpenBench>& open) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object object = readObject(info[0], "workload");
    const bench::Workload workload = readWorkload(object);
    const std::int32_t passes = field(object, "passes", 1, mostRows);
    return run<double>(
        info.Env(), open, [workload, passes](bench::Bench& bench) { return bench.run(workload, passes); },
        [](Napi::Env env, double&& seconds) -> Napi::Value { return Napi::Number::New(env, seconds); });
  });
}

Napi::Value close(Info info, const std::shared_ptr<OpenBench>& open) {
  return guarded(info.Env(), [&] {
    if (open->busy) throw Error(ErrorCode::engine_busy, "a measurement is running");
    open->bench.reset();
    return info.Env().Undefined();
  });
}

Napi::Value benchObject(Napi::Env env, Opened&& opened) {
  Napi::Object object = Napi::Object::New(env);
  const BackendInfo& info = opened.bench->info();
  object.Set("isa", info.isa);
  object.Set("threads", info.threads);
  object.Set("weightBytes", static_cast<double>(info.weightBytes));
  object.Set("kvBytesPerToken", static_cast<double>(info.kvBytesPerToken));
  object.Set("parameters", static_cast<double>(opened.parameters));
  object.Set("maxContext", opened.bench->maxContext());
  const auto open = std::make_shared<OpenBench>();
  open->bench = std::move(opened.bench);
  object.Set("measure", Napi::Function::New(env, [open](Info call) { return measure(call, open); }, "measure"));
  object.Set("run", Napi::Function::New(env, [open](Info call) { return runPasses(call, open); }, "run"));
  object.Set("close", Napi::Function::New(env, [open](Info call) { return close(call, open); }, "close"));
  return object;
}

struct Machine {
  bench::MachineLimits limits;
  Isa isa = Isa::portable;
  std::int32_t threads = 1;
};

Napi::Value machineObject(Napi::Env env, const Machine& machine) {
  Napi::Object peaks = Napi::Object::New(env);
  Napi::Object instructions = Napi::Object::New(env);
  for (const WeightType type : allTypes) {
    peaks.Set(weightTypeName(type), machine.limits.operationsPerSecond[static_cast<std::size_t>(type)]);
    instructions.Set(weightTypeName(type), bench::peakInstruction(machine.isa, type));
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("isa", isaName(machine.isa));
  result.Set("threads", machine.threads);
  result.Set("readBytesPerSecond", machine.limits.readBytesPerSecond);
  result.Set("operationsPerSecond", peaks);
  result.Set("instructions", instructions);
  return result;
}

}  // namespace

Napi::Value measureMachine(Info info) {
  return guarded(info.Env(), [&] {
    const Napi::Object options = readObject(info[0], "options");
    Machine machine;
    machine.isa = resolveIsa(readString(options.Get("isa"), "isa"));
    machine.threads = threadsOf(options);
    return PromisedWork<Machine>::start(
        info.Env(), "foretrace machine",
        [machine]() mutable {
          machine.limits = apart([&] { return bench::measureLimits(machine.isa, machine.threads); });
          return machine;
        },
        [](Napi::Env env, Machine&& measured) { return machineObject(env, measured); });
  });
}

Napi::Value openBench(Info info) {
  return guarded(info.Env(), [&] {
    const Napi::Object options = readObject(info[0], "options");
    const std::string model = readString(options.Get("modelDir"), "modelDir");
    const std::optional<std::uint64_t> seed = readSeed(options);
    const std::string isa = readString(options.Get("isa"), "isa");
    const WeightType type = resolveWeightType(readString(options.Get("dtype"), "dtype"));
    const std::int32_t threads = threadsOf(options);
    const std::int32_t tokens = field(options, "maxTokens", 1, mostTokens);
    const std::int32_t rows = field(options, "maxRows", 1, mostRows);
    return PromisedWork<Opened>::start(
        info.Env(), "foretrace bench",
        [=] {
          return apart([&] {
            const LoadedModel loaded = bench::modelOf(model, seed);
            return Opened{std::make_unique<bench::Bench>(loaded, isa, type, threads, tokens, rows), loaded.weights.parameters};
          });
        },
        [](Napi::Env env, Opened&& opened) { return benchObject(env, std::move(opened)); });
  });
}

}  // namespace foretrace::binding
