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
/// reads memory in order; one that has finished its own waits for a moment and then takes from the shares of others. run()
/// returns when every task is done, not when every worker has come by: a worker that is asleep or not scheduled holds
/// nobody up, so the pool makes progress with more threads than processors. Between loops workers spin for a moment, then
/// sleep.
///
/// Handing a cache line from one processor to another takes up to a third of a microsecond, and loops are short. So a loop is
/// announced in one line, which all workers read; a share is taken from by its owner alone as long as nobody is late; and what a
/// worker has done it says once, in a line of its own.
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
  void run(std::int32_t tasks, const Body& body) {
    static_assert(std::is_nothrow_invocable_v<const Body&, std::int32_t, std::int32_t>, "a task must be noexcept");
    if (tasks <= 0) return;
    if (tasks == 1 || workers_.empty()) {
      for (std::int32_t task = 0; task < tasks; ++task) body(task, 0);
      return;
    }
    runShared(tasks, [](const void* context, std::int32_t task, std::int32_t worker) noexcept {
      (*static_cast<const Body*>(context))(task, worker);
    }, &body);
  }

 private:
  using Function = void (*)(const void* context, std::int32_t task, std::int32_t worker) noexcept;

  /// What is announced: number of the loop (upper half) and its tasks (lower half), then what a task runs. Whoever has taken a
  /// task may read the rest: nothing of it changes before that task is done.
  struct alignas(64) Loop {
    std::atomic<std::uint64_t> word{0};
    Function function = nullptr;
    const void* context = nullptr;
    std::atomic<bool> stopping{false};
  };

  /// Number of a loop (upper half) and the tasks of a share that nobody has taken (lower half). A share whose number is an
  /// earlier one has not been touched in this loop.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> ticket{0};
  };

  /// Number of a loop (upper half) and the tasks that a worker has done of it (lower half).
  struct alignas(64) Done {
    std::atomic<std::uint64_t> word{0};
  };

  void runShared(std::int32_t tasks, Function function, const void* context);
  void work(std::int32_t worker) noexcept;
  /// Takes a task of a share of loop `announced`; -1 if there is none.
  std::int32_t take(std::int32_t share, std::uint64_t announced) noexcept;
  /// Runs tasks of a share until none is left; returns how many.
  std::int32_t runShare(std::int32_t share, std::uint64_t announced, std::int32_t worker) noexcept;
  /// The same for the shares of all others.
  std::int32_t runOthers(std::uint64_t announced, std::int32_t worker) noexcept;
  /// Whether the workers have done what `own` tasks leave.
  [[nodiscard]] bool isDone(std::uint64_t announced, std::int32_t own) const noexcept;
  /// Spins, then sleeps until something else than `seen` is announced; meanwhile looks after the others once.
  void await(std::uint64_t seen, std::int32_t worker, std::int32_t done) noexcept;
  void stop() noexcept;

  Loop loop_;
  alignas(64) std::atomic<std::int32_t> sleepers_{0};
  std::vector<Share> shares_;  ///< [threads]
  std::vector<Done> done_;     ///< [threads], that of worker 0 unused
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> workers_;
};

}  // namespace foretrace::cpu
