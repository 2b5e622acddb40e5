#include "cpu/threads.h"

#include <sched.h>
#include <string>
#include <system_error>

#include "core/error.h"

namespace foretrace::cpu {
namespace {

/// Pauses before a waiting thread gives up the processor: a few ten microseconds, longer than the gap between two
/// phases of a forward pass, far shorter than a time slice somebody else could use.
constexpr int spins = 1000;

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

}  // namespace

ThreadPool::ThreadPool(std::int32_t threads) {
  if (threads < 1 || threads > 1024) {
    throw Error(ErrorCode::invalid_argument, "threads", "1 to 1024", std::to_string(threads));
  }
  workers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (std::int32_t worker = 1; worker < threads; ++worker) workers_.emplace_back([this, worker] { work(worker); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(ErrorCode::internal, "thread pool", std::to_string(threads) + " threads", error.what());
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_.store(true);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::runShared(std::int32_t tasks, Function function, void* context) {
  function_ = function;
  context_ = context;
  tasks_ = tasks;
  done_.store(0, std::memory_order_relaxed);
  const std::uint32_t next = epoch() + 1;
  ticket_.store((std::uint64_t{next} << 32) | static_cast<std::uint32_t>(tasks), std::memory_order_seq_cst);
  // Either this load sees the sleeper, or the sleeper's check after announcing itself sees the new ticket.
  if (sleepers_.load(std::memory_order_seq_cst) > 0) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  takeTasks(next, 0);
  for (int i = 0; done_.load(std::memory_order_acquire) != tasks; ++i) {
    // A worker that was descheduled inside a task may need this processor.
    if (i < spins) {
      pause();
    } else {
      ::sched_yield();
    }
  }
}

void ThreadPool::takeTasks(std::uint32_t epoch, std::int32_t worker) noexcept {
  std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(ticket >> 32) == epoch && static_cast<std::uint32_t>(ticket) != 0) {
    if (!ticket_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire)) continue;
    const std::int32_t task = tasks_ - static_cast<std::int32_t>(static_cast<std::uint32_t>(ticket));
    function_(context_, task, worker);
    done_.fetch_add(1, std::memory_order_release);
    ticket = ticket_.load(std::memory_order_acquire);
  }
}

void ThreadPool::work(std::int32_t worker) noexcept {
  std::uint32_t seen = 0;
  while (true) {
    int waited = 0;
    while (epoch() == seen && !stopping_.load() && waited < spins) {
      pause();
      ++waited;
    }
    if (epoch() == seen && !stopping_.load()) {
      std::unique_lock lock(mutex_);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(lock, [&] { return epoch() != seen || stopping_.load(); });
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    }
    if (stopping_.load()) return;
    seen = epoch();
    takeTasks(seen, worker);
  }
}

}  // namespace foretrace::cpu
