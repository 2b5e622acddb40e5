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
/// Pauses before one who has nothing left to do takes from the shares of others: about two microseconds. Those are mostly about
/// to finish, and reading their lines holds them up.
constexpr int patience = 60;
/// How long it offers the processor before it sleeps: longer than most gaps between two passes, because waking a thread takes
/// as long as a whole pass of a small model.
constexpr std::chrono::microseconds awake{1500};

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

constexpr std::uint32_t numberOf(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
constexpr std::int32_t countOf(std::uint64_t word) noexcept { return static_cast<std::int32_t>(static_cast<std::uint32_t>(word)); }
constexpr std::uint64_t wordOf(std::uint32_t number, std::int32_t count) noexcept {
  return (std::uint64_t{number} << 32) | static_cast<std::uint32_t>(count);
}

}  // namespace

ThreadPool::ThreadPool(std::int32_t threads) {
  if (threads < 1 || threads > 1024) {
    throw Error(ErrorCode::invalid_argument, "threads", "1 to 1024", std::to_string(threads));
  }
  shares_ = std::vector<Share>(static_cast<std::size_t>(threads));
  done_ = std::vector<Done>(static_cast<std::size_t>(threads));
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
    loop_.stopping.store(true);
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::runShared(std::int32_t tasks, Function function, const void* context) {
  loop_.function = function;
  loop_.context = context;
  const std::uint64_t announced = wordOf(numberOf(loop_.word.load(std::memory_order_relaxed)) + 1, tasks);
  loop_.word.store(announced, std::memory_order_seq_cst);
  // Either this load sees the sleeper, or the sleeper's check after announcing itself sees the new loop.
  if (sleepers_.load(std::memory_order_seq_cst) > 0) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  std::int32_t own = runShare(0, announced, 0);
  for (int waited = 0; !isDone(announced, own); ++waited) {
    if (waited % (patience + 1) == patience) own += runOthers(announced, 0);
    // A worker that was descheduled inside a task may need this processor.
    if (waited < spins) {
      pause();
    } else {
      ::sched_yield();
    }
  }
}

bool ThreadPool::isDone(std::uint64_t announced, std::int32_t own) const noexcept {
  std::int32_t left = countOf(announced) - own;
  for (std::size_t worker = 1; worker < done_.size() && left > 0; ++worker) {
    const std::uint64_t word = done_[worker].word.load(std::memory_order_acquire);
    if (numberOf(word) == numberOf(announced)) left -= countOf(word);
  }
  return left == 0;
}

std::int32_t ThreadPool::take(std::int32_t share, std::uint64_t announced) noexcept {
  const auto threads = static_cast<std::int64_t>(shares_.size());
  const std::int64_t tasks = countOf(announced);
  const auto end = static_cast<std::int32_t>((share + 1) * tasks / threads);
  const std::int32_t all = end - static_cast<std::int32_t>(share * tasks / threads);
  std::atomic<std::uint64_t>& ticket = shares_[static_cast<std::size_t>(share)].ticket;
  std::uint64_t word = ticket.load(std::memory_order_acquire);
  while (true) {
    const auto ahead = static_cast<std::int32_t>(numberOf(word) - numberOf(announced));
    const std::int32_t left = ahead < 0 ? all : ahead == 0 ? countOf(word) : 0;  // ahead: this loop is over
    if (left == 0) return -1;
    const std::uint64_t taken = wordOf(numberOf(announced), left - 1);
    if (ticket.compare_exchange_weak(word, taken, std::memory_order_acq_rel, std::memory_order_acquire)) return end - left;
  }
}

std::int32_t ThreadPool::runShare(std::int32_t share, std::uint64_t announced, std::int32_t worker) noexcept {
  std::int32_t done = 0;
  for (std::int32_t task = take(share, announced); task >= 0; task = take(share, announced), ++done) {
    loop_.function(loop_.context, task, worker);
  }
  return done;
}

std::int32_t ThreadPool::runOthers(std::uint64_t announced, std::int32_t worker) noexcept {
  const auto count = static_cast<std::int32_t>(shares_.size());
  std::int32_t done = 0;
  for (std::int32_t i = 1; i < count; ++i) done += runShare((worker + i) % count, announced, worker);
  return done;
}

void ThreadPool::await(std::uint64_t seen, std::int32_t worker, std::int32_t done) noexcept {
  const auto idle = [&] { return loop_.word.load() == seen && !loop_.stopping.load(); };
  for (int waited = 0; idle() && waited < spins; ++waited) {
    pause();
    if (waited != patience) continue;
    const std::int32_t more = runOthers(seen, worker);
    if (more > 0) done_[static_cast<std::size_t>(worker)].word.store(wordOf(numberOf(seen), done + more), std::memory_order_release);
  }
  if (!idle()) return;
  const auto sleepsAt = std::chrono::steady_clock::now() + awake;
  while (idle() && std::chrono::steady_clock::now() < sleepsAt) ::sched_yield();
  if (!idle()) return;
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  wake_.wait(lock, [&] { return !idle(); });
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void ThreadPool::work(std::int32_t worker) noexcept {
  std::uint64_t seen = 0;
  std::int32_t done = 0;
  while (true) {
    await(seen, worker, done);
    if (loop_.stopping.load()) return;
    seen = loop_.word.load();
    done = runShare(worker, seen, worker);
    if (done > 0) done_[static_cast<std::size_t>(worker)].word.store(wordOf(numberOf(seen), done), std::memory_order_release);
  }
}

}  // namespace foretrace::cpu
