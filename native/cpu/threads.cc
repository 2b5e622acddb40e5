#include "cpu/threads.h"

#include <chrono>
#include <sched.h>
#include <string>
#include <system_error>

#include "core/error.h"

namespace foretrace::cpu {
namespace {

/// Pauses before a waiting thread offers its processor to others: a few ten microseconds, longer than the gap between two
/// phases of a forward pass, far shorter than a time slice somebody else could use.
constexpr int spins = 1000;
/// How long it offers the processor before it sleeps: longer than most gaps between two passes, because waking a thread takes
/// as long as a whole pass of a small model.
constexpr std::chrono::microseconds awake{300};

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
  shares_ = std::vector<Share>(static_cast<std::size_t>(threads));
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
  done_.store(0, std::memory_order_relaxed);
  const std::uint32_t next = loop_.load(std::memory_order_relaxed) + 1;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const auto end = static_cast<std::int64_t>(i + 1) * tasks / static_cast<std::int64_t>(shares_.size());
    shares_[i].end = static_cast<std::int32_t>(end);
    shares_[i].ticket.store((std::uint64_t{next} << 32) | static_cast<std::uint32_t>(end - first), std::memory_order_release);
    first = end;
  }
  loop_.store(next, std::memory_order_seq_cst);
  // Either this load sees the sleeper, or the sleeper's check after announcing itself sees the new loop.
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

std::int32_t ThreadPool::takeFrom(Share& share, std::uint32_t loop, std::int32_t worker) noexcept {
  std::int32_t taken = 0;
  std::uint64_t ticket = share.ticket.load(std::memory_order_acquire);
  while (static_cast<std::uint32_t>(ticket >> 32) == loop && static_cast<std::uint32_t>(ticket) != 0) {
    if (!share.ticket.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      continue;
    }
    function_(context_, share.end - static_cast<std::int32_t>(static_cast<std::uint32_t>(ticket)), worker);
    ++taken;
    ticket = share.ticket.load(std::memory_order_acquire);
  }
  return taken;
}

void ThreadPool::takeTasks(std::uint32_t loop, std::int32_t worker) noexcept {
  std::int32_t taken = 0;
  const auto count = static_cast<std::int32_t>(shares_.size());
  for (std::int32_t i = 0; i < count; ++i) {
    taken += takeFrom(shares_[static_cast<std::size_t>((worker + i) % count)], loop, worker);
  }
  // One addition a worker: the caller may not leave the loop before all that was taken is counted.
  if (taken > 0) done_.fetch_add(taken, std::memory_order_release);
}

void ThreadPool::work(std::int32_t worker) noexcept {
  std::uint32_t seen = 0;
  while (true) {
    const auto idle = [&] { return loop_.load() == seen && !stopping_.load(); };
    for (int waited = 0; idle() && waited < spins; ++waited) pause();
    if (idle()) {
      const auto sleepsAt = std::chrono::steady_clock::now() + awake;
      while (idle() && std::chrono::steady_clock::now() < sleepsAt) ::sched_yield();
    }
    if (idle()) {
      std::unique_lock lock(mutex_);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(lock, [&] { return !idle(); });
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    }
    if (stopping_.load()) return;
    seen = loop_.load();
    takeTasks(seen, worker);
  }
}

}  // namespace foretrace::cpu
