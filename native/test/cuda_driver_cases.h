// What is said when GPU, driver or memory are missing; needs the stand-in for the CUDA runtime.
#pragma once

#include <string>

#include "cuda/cuda_device.h"
#include "test/check.h"
#include "test/cuda_gemm_cases.h"
#include "test/cuda_model_cases.h"
#include "test/cuda_sample_cases.h"

namespace foretrace::test::driver_cases {  // TEST names its functions by line: one namespace a file

using namespace model_cases;

/// Puts the driver back as it was.
class DriverState {
 public:
  DriverState() : before_(emulatedDriver()) {}
  DriverState(const DriverState&) = delete;
  DriverState& operator=(const DriverState&) = delete;
  ~DriverState() {
    before_.allocations = emulatedDriver().allocations;
    before_.graphs = emulatedDriver().graphs;
    emulatedDriver() = before_;
  }

 private:
  EmulatedDriver before_;
};

inline std::string refusal(std::string* message) {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  return thrownCode([&] { (void)createCudaDevice(model.config, model.weights, modelPool, {}); }, message);
}

TEST("no GPU, no driver, an old driver and an old GPU are told apart") {
  struct Situation {
    cudaError_t status;
    int devices;
    int major;
    int driver;
    const char* says;
  };
  for (const Situation& situation : {Situation{cudaErrorNoDevice, 0, 9, 13000, "no NVIDIA GPU was found"},
                                     Situation{cudaErrorInsufficientDriver, 0, 9, 0, "no NVIDIA driver is installed"},
                                     Situation{cudaErrorInsufficientDriver, 1, 9, 12040, "the NVIDIA driver supports CUDA 12.4, this build needs 13.0"},
                                     Situation{cudaSuccess, 1, 7, 13000, "compute capability 8.0 or newer"},
                                     Situation{cudaSuccess, 0, 9, 13000, "number of the GPU"}}) {
    const DriverState state;
    emulatedDriver().countStatus = situation.status;
    emulatedDriver().devices = situation.devices;
    emulatedDriver().major = situation.major;
    emulatedDriver().driverVersion = situation.driver;
    std::string message;
    CHECK(refusal(&message) == "unsupported_device");
    CHECK_THAT(message.find(situation.says) != std::string::npos, message);
    const CudaProbe probe = probeCuda();
    CHECK(probe.compiled && !probe.available && probe.reason == message);
  }
  const CudaProbe probe = probeCuda();
  CHECK(probe.available && probe.isa == "sm_90" && probe.reason.empty());
}

TEST("an allocation that fails and a kernel that crashes have their codes, and nothing is lost") {
  const DriverState state;
  const long before = emulatedDriver().allocations;
  std::string message;
  emulatedDriver().allocation = cudaErrorMemoryAllocation;
  CHECK(refusal(&message) == "invalid_argument");
  CHECK(emulatedDriver().allocations == before);
  emulatedDriver().allocation = cudaSuccess;
  emulatedDriver().freeBytes = 1 << 20;
  CHECK(refusal(&message) == "invalid_argument" && message.find("GiB too little") != std::string::npos);
  emulatedDriver().freeBytes = std::size_t{1} << 34;
  {
    const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
    const auto backend = cudaBackend(model, modelPool);
    ForwardBatch batch;
    batch.add({1, 0, std::vector<std::int32_t>{1, 2}, std::vector<std::int32_t>{3}, LogitRows::last});
    emulatedDriver().synchronization = cudaErrorLaunchFailure;
    CHECK_ERROR("internal", backend->forward(batch));
    emulatedDriver().synchronization = cudaSuccess;
    CHECK(backend->forward(batch).size() == 96);
  }
  CHECK(emulatedDriver().allocations == before);
}

/// Decodes a few tokens one at a time; shapes repeat from the third on.
inline Rows decode(Backend& backend, std::int32_t from, std::int32_t count) {
  const auto tokens = someTokens(from + count, 96, 5);
  Rows rows;
  for (std::int32_t position = from; position < from + count; ++position) {
    ForwardBatch batch;
    batch.add({1, position, std::span(tokens).subspan(static_cast<std::size_t>(position), 1), std::vector<std::int32_t>{3}, LogitRows::last});
    appendRows(rows, backend.forward(batch), 0, 1, 96);
  }
  return rows;
}

TEST("a shape is launched one by one, then captured, then repeated; nothing of it stays behind") {
  const DriverState state;
  const long before = emulatedDriver().graphLaunches;
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  {
    const auto backend = cudaBackend(model, modelPool);
    (void)decode(*backend, 0, 1);
    CHECK(emulatedDriver().graphLaunches == before && emulatedDriver().graphs == 0);
    (void)decode(*backend, 1, 4);
    CHECK(emulatedDriver().graphLaunches == before + 4 && emulatedDriver().graphs == 1);
  }
  CHECK(emulatedDriver().graphs == 0);
}

TEST("a graph that cannot be made is an error of its pass alone; a capture that broke off does not stay open") {
  const DriverState state;
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  const auto undisturbed = cudaBackend(model, modelPool);
  const Rows expected = decode(*undisturbed, 0, 5);
  {
    const auto backend = cudaBackend(model, modelPool);
    (void)decode(*backend, 0, 1);
    emulatedDriver().instantiation = cudaErrorMemoryAllocation;
    CHECK_ERROR("invalid_argument", decode(*backend, 1, 1));
    CHECK(emulatedCapture().graph == nullptr);
    emulatedDriver().instantiation = cudaSuccess;
    CHECK(sameBits(expected, decode(*backend, 0, 5)));
    // A pass that ends between capture and launch, as when a kernel is refused.
    const auto device = createCudaDevice(model.config, model.weights, modelPool, {});
    ForwardBatch batch;
    batch.add({1, 0, std::vector<std::int32_t>{1}, std::vector<std::int32_t>{3}, LogitRows::last});
    device->begin(batch);
    (void)device->logits();
    device->begin(batch);
    device->embed();
    CHECK(emulatedCapture().graph != nullptr);
    device->begin(batch);
    CHECK(emulatedCapture().graph != nullptr && !device->repeats());
    (void)device->logits();
    CHECK(emulatedCapture().graph == nullptr);
  }
  CHECK(emulatedDriver().graphs == 1);  // that of `undisturbed`
}

TEST("pages are sized from free memory: as many as are affordable fit, and no more") {
  const LoadedModel model = strongModel(4, 2, 16, 64, 160, 96, true);
  PoolConfig pool = modelPool;
  pool.pages = affordableCudaPages(model.config, pool, {});
  CHECK(pool.pages > 1000);
  const cuda::ModelShapes shapes(model.config);
  CHECK(cuda::planMemory(model.config, pool, shapes).total() <= static_cast<std::int64_t>(emulatedDriver().freeBytes));
  const DriverState state;
  emulatedDriver().freeBytes = 1 << 20;
  CHECK_ERROR("invalid_argument", (void)affordableCudaPages(model.config, pool, {}));
}

/// Runs `action` with threads in both orders and copies arriving late and early, and passes its results to `check`.
template <class Action, class Check>
void underEverySchedule(const Action& action, const Check& check) {
  for (const auto arrival : {cuda::emulator::Arrival::late, cuda::emulator::Arrival::early}) {
    for (const auto order : {cuda::emulator::Order::ascending, cuda::emulator::Order::descending}) {
      cuda::emulatedOrder() = order;
      cuda::emulator::arrival() = arrival;
      check(action());
    }
  }
  cuda::emulatedOrder() = cuda::emulator::Order::ascending;
  cuda::emulator::arrival() = cuda::emulator::Arrival::late;
}

TEST("the order in which threads run and when copies arrive change no bit of a forward pass: no barrier is missing") {
  const LoadedModel model = strongModel(3, 1, 18, 50, 77, 141, false);
  const auto tokens = someTokens(132, model.config.vocab, 5);
  const auto pages = pagesFrom(0, 1, tokens.size(), 16);
  Rows first;
  underEverySchedule([&] { return runChunks(*cudaBackend(model, modelPool), tokens, pages, {129, 3}, 141); },
                     [&](Rows found) {
                       if (first.empty()) first = found;
                       CHECK(sameBits(first, found));
                     });
}

TEST("the same for the choice of tokens") {
  const sample_cases::Rows rows(700);
  const auto masks = sample_cases::masksOf(700);
  const auto requests = sample_cases::allRequests(masks, 1);
  std::vector<Sample> first;
  underEverySchedule([&] { return sample_cases::chooseOnDevice(rows, requests, 2); },
                     [&](std::vector<Sample> found) {
                       if (first.empty()) first = found;
                       CHECK(std::equal(first.begin(), first.end(), found.begin(), found.end(), sample_cases::same));
                     });
}

TEST("the same for products of every format and kind whose splits one block sums, one after the other") {
  for (const gemm_cases::Kind& kind : gemm_cases::kinds()) {
    const gemm_cases::GemmCase product(kind, 130, 1100, 70);
    std::vector<float> first;
    underEverySchedule([&] { return product.run(0, 70, true, product.shape.splits); },
                       [&](std::vector<float> found) {
                         if (first.empty()) first = found;
                         CHECK_THAT(sameBits(first, found), kind.text());
                       });
  }
}

/// Writes to result[0] what a product reads of a stage that is filled a second time, `early`: before the product has ended.
inline double overwrittenStage(bool early) {
  float result = 0;
  alignas(16) static std::uint8_t ones[cuda::weightBlockBytes + cuda::groupBytes];
  static std::uint8_t zeros[cuda::weightBlockBytes + cuda::groupBytes];
  std::fill(std::begin(ones), std::end(ones), std::uint8_t{1});
  std::fill(std::begin(zeros), std::end(zeros), std::uint8_t{0});
  constexpr int bytes = cuda::weightBlockBytes + cuda::groupBytes;
  cuda::emulator::launch({1, 1, 1}, 128, bytes + 16, cuda::emulatedOrder(), [&] {
    auto* barrier = reinterpret_cast<std::uint64_t*>(cuda::sharedMemory() + bytes);
    if (threadIdx.x == 0) cuda::initBarrier(barrier, 1);
    cuda::syncThreads();
    const auto fill = [&](const std::uint8_t* from) {
      cuda::syncThreads();
      if (threadIdx.x != 0) return;
      cuda::arriveExpecting(barrier, bytes);
      cuda::copyBlock(cuda::sharedMemory(), from, bytes, barrier);
    };
    fill(ones);
    cuda::waitBarrier(barrier, 0);
    std::int32_t sum[4] = {};
    cuda::beginProducts();
    cuda::startProduct<cuda::Int8Format, 8>(sum, cuda::matrixDescriptor(cuda::sharedAddress(cuda::sharedMemory())),
                                            cuda::matrixDescriptor(cuda::sharedAddress(cuda::sharedMemory() + cuda::weightBlockBytes)), false);
    cuda::commitProducts();
    if (!early) cuda::waitProducts<0>();
    fill(zeros);
    cuda::waitBarrier(barrier, 1);
    cuda::waitProducts<0>();
    if (threadIdx.x == 0) result = static_cast<float>(sum[0]);
  });
  return static_cast<double>(result);
}

TEST("the emulator shows a stage of a pipeline that is filled before its product has ended") {
  CHECK(overwrittenStage(false) == 32.0);
  CHECK(overwrittenStage(true) != 32.0);
}

}  // namespace foretrace::test::driver_cases
