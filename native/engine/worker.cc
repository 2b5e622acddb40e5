#include "engine/worker.h"

#include <utility>

#include "core/error.h"

namespace foretrace {

void Worker::post(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_) throw Error(ErrorCode::engine_closed, "the engine has been closed");
    ensure(job_ == nullptr, "a job is handed over while one is waiting");
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    job_ = std::move(job);
  }
  wake_.notify_one();
}

void Worker::stop() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  const std::scoped_lock lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void Worker::loop() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || job_ != nullptr; });
      // A job that was handed over before the stop is still carried out: somebody waits for its callback.
      if (job_ == nullptr) return;
      job = std::exchange(job_, nullptr);
    }
    job();
  }
}

}  // namespace foretrace
