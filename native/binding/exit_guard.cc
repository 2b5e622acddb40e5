#include "binding/exit_guard.h"

#include <cstdlib>
#include <mutex>
#include <set>

#include "engine/engine.h"

namespace foretrace::binding {

namespace {

struct Registry {
  std::mutex mutex;
  std::set<Engine*> engines;
};

/// Never destroyed: exit handlers of other libraries may still run after ours.
Registry& registry() {
  static Registry* const instance = [] {
    auto* created = new Registry;
    std::atexit([] {
      const std::scoped_lock lock(registry().mutex);
      for (Engine* engine : registry().engines) engine->shutDown();
    });
    return created;
  }();
  return *instance;
}

}  // namespace

void shutDownAtExit(Engine* engine) {
  const std::scoped_lock lock(registry().mutex);
  registry().engines.insert(engine);
}

void forgetAtExit(Engine* engine) noexcept {
  const std::scoped_lock lock(registry().mutex);
  registry().engines.erase(engine);
}

}  // namespace foretrace::binding
