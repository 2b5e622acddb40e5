// A fixed pool of threads for short parallel loops.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace foretrace::cpu {

/// Runs parallel loops; worker 0 is the thread that calls run(). Every worker has a share of consecutive tasks, so that it
/// reads memory in order, and takes from the shares of others when its own is empty. Tasks are taken one at a time and run()
/// returns when every task is done, not when every worker has come by: a worker that is asleep or not scheduled holds
/// nobody up, so the pool makes progress with more threads than processors. Between loops workers spin for a moment, then
/// sleep.
class ThreadPool {
 public:
  /// Starts threads - 1 workers; 1 <= threads <= 1024. Throws `invalid_argument`, or `internal` if the system has no
  /// more threads.
  explicit ThreadPool(std::int32_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  [[nodiscard]] std::int32_t threads() const noexcept { return static_cast<std::int32_t>(workers_.size()) + 1; }

  /// Calls body(task, worker) once for each task in [0, tasks), 0 <= worker < threads(). The body must not throw and must
  /// not call run(). One thread calls run() at a time. Does not allocate.
  template <typename Body>
  void run(std::int32_t tasks, Body&& body) {
    static_assert(std::is_nothrow_invocable_v<Body&, std::int32_t, std::int32_t>, "a task must be noexcept");
    if (tasks <= 0) return;
    if (tasks == 1 || workers_.empty()) {
      for (std::int32_t task = 0; task < tasks; ++task) body(task, 0);
      return;
    }
    runShared(tasks, [](void* context, std::int32_t task, std::int32_t worker) noexcept {
      (*static_cast<std::remove_reference_t<Body>*>(context))(task, worker);
    }, &body);
  }

 private:
  using Function = void (*)(void* context, std::int32_t task, std::int32_t worker) noexcept;

  /// The tasks of one worker.
  struct alignas(64) Share {
    /// Number of the loop (upper half) and the tasks not taken yet (lower half), in one word: whoever takes a task by
    /// compare-and-swap thereby knows that its loop is still running and that all fields of the loop belong to it.
    std::atomic<std::uint64_t> ticket{0};
    std::int32_t end = 0;  ///< one past the last task of the share
  };

  void runShared(std::int32_t tasks, Function function, void* context);
  void work(std::int32_t worker) noexcept;
  /// Takes tasks of loop `loop` until none is left anywhere.
  void takeTasks(std::uint32_t loop, std::int32_t worker) noexcept;
  /// Takes tasks of one share until none is left; returns how many.
  std::int32_t takeFrom(Share& share, std::uint32_t loop, std::int32_t worker) noexcept;
  void stop() noexcept;

  alignas(64) std::atomic<std::uint32_t> loop_{0};  ///< number of the current loop, set when everything of it is in place
  alignas(64) std::atomic<std::int32_t> done_{0};   ///< finished tasks of the loop
  alignas(64) std::atomic<std::int32_t> sleepers_{0};
  Function function_ = nullptr;  ///< of the running loop
  void* context_ = nullptr;
  std::vector<Share> shares_;  ///< [threads]
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace foretrace::cpu
