// Cases of choosing tokens on the CUDA device, for a GPU and for the emulator: everything the host's Sampler chooses, bit for
// bit.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/launch.h"
#include "cuda/sample_tasks.h"
#include "model/sampler.h"
#include "test/check.h"
#include "test/cuda_memory.h"
#include "test/cuda_model_cases.h"
#include "test/random.h"

namespace foretrace::test::sample_cases {  // TEST names its functions by line: one namespace a file

/// Rows of logits: spread as a model's are, with many equal ones, and with values no token may be chosen for.
struct Rows {
  int vocab;
  std::int64_t stride;
  std::vector<float> values;

  static constexpr int count = 4;

  explicit Rows(int tokens) : vocab(tokens), stride((tokens + 127) / 128 * 128) {
    values.assign(static_cast<std::size_t>(count * stride), 50.0F);  // padding that must not be read
    Random random(static_cast<std::uint64_t>(tokens));
    for (int row = 0; row < count; ++row) {
      for (int token = 0; token < vocab; ++token) {
        float logit = static_cast<float>(6 * random.symmetric() + (random.below(50) == 0 ? 9 : 0));
        if (row == 1) logit = static_cast<float>(random.below(4)) - 2.0F;
        if (row == 2 && random.below(5) == 0) logit = std::numeric_limits<float>::quiet_NaN();
        if (row == 2 && random.below(5) == 0) logit = (random.below(2) == 0 ? 1.0F : -1.0F) * std::numeric_limits<float>::infinity();
        if (row == 3) logit *= 1e30F;
        values[static_cast<std::size_t>(row * stride + token)] = logit;
      }
    }
  }
  [[nodiscard]] std::span<const float> row(std::int32_t index) const {
    return std::span(values).subspan(static_cast<std::size_t>(index * stride), static_cast<std::size_t>(vocab));
  }
};

/// Masks that allow all, about half, a few, one and no token.
inline std::vector<std::vector<std::uint32_t>> masksOf(int vocab) {
  const auto words = static_cast<std::size_t>((vocab + 31) / 32);
  Random random(3);
  std::vector<std::vector<std::uint32_t>> masks(5, std::vector<std::uint32_t>(words, 0));
  const auto allow = [](std::vector<std::uint32_t>& mask, int token) { mask[static_cast<std::size_t>(token / 32)] |= 1U << (token % 32); };
  for (int token = 0; token < vocab; ++token) {
    allow(masks[0], token);
    if (random.below(2) == 0) allow(masks[1], token);
  }
  for (int i = 0; i < 4; ++i) allow(masks[2], random.below(vocab));
  allow(masks[3], vocab - 1);
  return masks;
}

inline const std::vector<Sampling>& settings() {
  static const std::vector<Sampling> list{{0, 1, 1},      {1, 1, 2},      {0.7, 0.9, 3},   {1, 0.5, 4},      {2.5, 1, 5},
                                          {1000, 0.8, 6}, {1e-300, 1, 7}, {1, 1e-300, 8}, {0.05, 0.99, 9}, {1, 0.999999, 10}};
  return list;
}

inline std::vector<Sample> chooseOnDevice(const Rows& rows, std::span<const SampleRequest> requests, int parts) {
  const auto logits = onDevice(rows.values);
  std::vector<std::int32_t> words(cuda::sampleWords(requests));
  cuda::fillSampleTasks(requests, words);
  const auto tasks = onDevice(words);
  const auto chosen = onDevice(std::vector<weights::Chosen>(requests.size()));
  const auto found = onDevice(std::vector<cuda::SamplePart>(requests.size() * static_cast<std::size_t>(parts)));
  const int bits = weights::fractionBits(rows.vocab);
  cuda::launchSample({logits.data(), rows.stride, reinterpret_cast<const cuda::SampleTask*>(tasks.data()),
                      reinterpret_cast<const std::uint32_t*>(tasks.data()), chosen.data(), found.data(), static_cast<int>(requests.size()), rows.vocab, bits, parts},
                     testStream);
  std::vector<Sample> samples;
  for (const weights::Chosen& each : fromDevice(chosen)) samples.push_back(weights::conclude(each, bits));
  return samples;
}

inline bool same(const Sample& a, const Sample& b) {
  return a.token == b.token && std::memcmp(&a.logProbability, &b.logProbability, sizeof(float)) == 0;
}

/// All rows under all masks and settings, at a few positions.
inline std::vector<SampleRequest> allRequests(const std::vector<std::vector<std::uint32_t>>& masks, int positions) {
  std::vector<SampleRequest> requests;
  for (std::int32_t row = 0; row < Rows::count; ++row) {
    for (std::size_t mask = 0; mask <= masks.size(); ++mask) {
      for (const Sampling& sampling : settings()) {
        for (int position = 0; position < positions; ++position) {
          const auto words = mask == masks.size() ? std::span<const std::uint32_t>{} : std::span<const std::uint32_t>(masks[mask]);
          requests.push_back({row, words, sampling, static_cast<std::uint64_t>(17 * position + row)});
        }
      }
    }
  }
  return requests;
}

TEST("the device chooses what the host chooses, with the same bits, from any logits, mask, temperature and nucleus, in parts or whole") {
  std::vector<int> vocabularies{1, 5, 96, 2047, 2048, 2049};
  if (!emulated) vocabularies.insert(vocabularies.end(), {32000, 128256, 300001});
  Sampler host;
  for (const int vocab : vocabularies) {
    const Rows rows(vocab);
    const auto masks = masksOf(vocab);
    const auto requests = allRequests(masks, emulated ? 1 : 5);
    std::vector<Sample> expected;
    int chosen = 0;
    for (const SampleRequest& request : requests) {
      expected.push_back(host.sample(rows.row(request.row), request.mask, request.sampling, request.position));
      chosen += expected.back().token >= 0;
    }
    for (const int parts : {1, std::max(3, cuda::sampleParts(vocab))}) {
      const auto found = chooseOnDevice(rows, requests, parts);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        CHECK_THAT(same(found[i], expected[i]), "vocabulary " + std::to_string(vocab) + ", " + std::to_string(parts) + " parts, request " + std::to_string(i) +
                                                    ": " + std::to_string(found[i].token) + " instead of " + std::to_string(expected[i].token));
      }
    }
    CHECK(chosen * 4 > static_cast<int>(requests.size()));
  }
}

TEST("a pass that is started and sampled gives the tokens of its logits, several rows of one sequence in one call") {
  for (const LoadedModel& model : model_cases::models(emulated)) {
    const auto vocab = static_cast<std::size_t>(model.config.vocab);
    const auto backend = model_cases::cudaBackend(model, model_cases::modelPool);
    const auto tokens = model_cases::someTokens(30, model.config.vocab, 8);
    const auto masks = masksOf(model.config.vocab);
    ForwardBatch batch;
    batch.add({1, 0, std::span(tokens).first(20), std::vector<std::int32_t>{0, 1}, LogitRows::none});
    batch.add({2, 0, std::span(tokens).subspan(20, 5), std::vector<std::int32_t>{2}, LogitRows::all});
    batch.add({3, 0, std::span(tokens).subspan(25), std::vector<std::int32_t>{3}, LogitRows::last});
    const auto logits = backend->forward(batch);
    const std::vector<float> kept(logits.begin(), logits.end());
    std::vector<SampleRequest> requests;
    for (const std::int32_t row : {0, 1, 2, 3, 4, 5, 2}) {
      requests.push_back({row, row == 3 ? std::span<const std::uint32_t>{} : std::span<const std::uint32_t>(masks[1]),
                          settings()[static_cast<std::size_t>(row)], static_cast<std::uint64_t>(40 + row)});
    }
    backend->start(batch);
    const auto found = backend->sample(requests);
    Sampler host;
    if (!CHECK(found.size() == requests.size())) continue;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto row = std::span(kept).subspan(static_cast<std::size_t>(requests[i].row) * vocab, vocab);
      CHECK(same(found[i], host.sample(row, requests[i].mask, requests[i].sampling, requests[i].position)));
    }
    CHECK(backend->sample({}).empty());
    CHECK_ERROR("invalid_argument", backend->sample(std::vector<SampleRequest>{{6, {}, {}, 0}}));
    backend->start(ForwardBatch{});
    CHECK_ERROR("invalid_argument", backend->sample(std::vector<SampleRequest>{{0, {}, {}, 0}}));
  }
}

}  // namespace foretrace::test::sample_cases
