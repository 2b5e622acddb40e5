// Engines that are alive in this process, so that their threads end before the process tears its statics down.
#pragma once

namespace foretrace {
class Engine;
}

namespace foretrace::binding {

/// Shuts the engine down when the process exits, unless it is forgotten before. Environments are torn down on a normal
/// end, but not by process.exit() on the main thread.
void shutDownAtExit(Engine* engine);
void forgetAtExit(Engine* engine) noexcept;

}  // namespace foretrace::binding
