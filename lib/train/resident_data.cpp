#include "lib/train/resident_data.hpp"

#include "lib/data/batches.hpp"

namespace dpx {

ResidentData::ResidentData(Group& group, const Examples& examples, std::size_t batch)
    : group_(group), examples_(examples), batch_size_(batch) {
  const Slice images = examples.images(), labels = examples.label_slice();
  for (int rank = 0; rank < group.size(); ++rank) {
    Device& device = group.device(rank);
    ranks_.push_back({device.upload(images.data, images.bytes()),
                      device.upload(labels.data, labels.bytes()),
                      {},
                      device.allocate(examples.size() * sizeof(float)),
                      device.allocate(examples.size())});
  }
}

void ResidentData::set_order(std::vector<std::int32_t> order) {
  order_ = std::move(order);
  for (int rank = 0; rank < group_.size(); ++rank)
    ranks_[std::size_t(rank)].order =
        group_.device(rank).upload(order_.data(), order_.size() * sizeof(std::int32_t));
}

std::size_t ResidentData::num_batches() const {
  return dpx::num_batches(order_.size(), batch_size_);
}

Range ResidentData::batch(std::size_t index) const {
  return batch_range(order_.size(), batch_size_, index);
}

std::vector<RankWork> ResidentData::work(std::size_t index) const {
  std::vector<RankWork> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    const Range part = part_of(batch(index), ranks_.size(), r);
    const RankData& data = ranks_[r];
    const Shard shard{data.images.slice(examples_.images().dtype), data.labels.slice(DType::u8),
                      data.order.slice(DType::i32).sub(part)};
    all.push_back(
        {shard, {data.losses.slice(DType::f32).sub(part), data.correct.slice(DType::u8).sub(part)}});
  }
  return all;
}

ScoreTotals ResidentData::totals(std::size_t batches) {
  std::vector<std::vector<float>> losses(ranks_.size(), std::vector<float>(examples_.size()));
  std::vector<std::vector<std::uint8_t>> correct(ranks_.size(), std::vector<std::uint8_t>(examples_.size()));
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    Stream& stream = group_.device(int(r)).compute();
    stream.copy({losses[r].data(), losses[r].size(), DType::f32}, ranks_[r].losses.slice(DType::f32));
    stream.copy({correct[r].data(), correct[r].size(), DType::u8}, ranks_[r].correct.slice(DType::u8));
  }
  group_.synchronize();
  ScoreTotals totals;
  for (std::size_t b = 0; b < batches; ++b) {
    double batch_loss = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const Range part = part_of(batch(b), ranks_.size(), r);
      for (std::size_t i = part.first; i < part.end(); ++i) {
        batch_loss += double(losses[r][i]);
        totals.correct += correct[r][i];
      }
    }
    totals.batch_losses.push_back(batch_loss / double(batch(b).count));
    totals.loss_sum += batch_loss;
    totals.count += batch(b).count;
  }
  return totals;
}

}  // namespace dpx
