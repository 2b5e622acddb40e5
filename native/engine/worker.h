// The engine's own thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace foretrace {

/// Runs one job at a time on a thread that lives until `stop`. Starts the thread with the first job, so an engine
/// that only ever steps synchronously has none.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { stop(); }

  /// Hands over a job; it must not throw. The caller waits for the job before it hands over the next.
  void post(std::function<void()> job);
  /// Lets a job in progress end, then joins the thread. Safe to call twice, from any thread but the worker's.
  void stop() noexcept;

 private:
  void loop();

  std::mutex mutex_;
  std::mutex joining_;
  std::condition_variable wake_;
  std::function<void()> job_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace foretrace
