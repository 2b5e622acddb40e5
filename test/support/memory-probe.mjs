// Preloaded into a server that a test has forked: answers every message with the memory in use after a collection of garbage.
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  setTimeout(() => {
    globalThis.gc();
    process.send(process.memoryUsage());
  }, 50);
});
process.channel?.unref();
