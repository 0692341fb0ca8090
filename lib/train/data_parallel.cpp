#include "lib/train/data_parallel.hpp"

#include <algorithm>

#include "lib/comm/buckets.hpp"
#include "lib/core/hash.hpp"

namespace dpx {
namespace {
std::vector<Range> tensor_ranges(const LeNet& model) {
  std::vector<Range> ranges;
  for (const ParamTensor& tensor : model.tensors()) ranges.push_back(tensor.elements);
  return ranges;
}
}  // namespace

DataParallel::DataParallel(Group& group, Backend& backend, const LeNet& model, const StepOptions& options,
                           std::size_t max_shard)
    : group_(group),
      model_(model),
      options_(options),
      buckets_(make_buckets(tensor_ranges(model), options.bucket)),
      stale_range_(*std::max_element(buckets_.begin(), buckets_.end(),
                                     [](Range a, Range b) { return a.count < b.count; })),
      reducer_(backend.make_reducer_on(options.link, options.algo, group)) {
  const std::size_t bytes = model.num_params() * sizeof(float);
  for (int rank = 0; rank < group.size(); ++rank) {
    Device& device = group.device(rank);
    replicas_.push_back({&device,
                         backend.make_engine(device, model, max_shard),
                         device.allocate(bytes),
                         device.allocate(bytes),
                         {}});
  }
  std::vector<Device*> devices;
  for (const Replica& replica : replicas_) devices.push_back(replica.device);
  replay_ = backend.make_replay(devices);
  if (options.fault == Fault::stale_bucket)
    replicas_.back().stale = replicas_.back().device->allocate(stale_range_.count * sizeof(float));
}

void DataParallel::set_params(const std::vector<float>& params) {
  const Slice host{const_cast<float*>(params.data()), params.size(), DType::f32};  // only read from
  for (Replica& r : replicas_) r.device->compute().copy(r.params.slice(DType::f32), host);
  group_.synchronize();
}

std::vector<float> DataParallel::params(int rank) {
  std::vector<float> host(model_.num_params());
  Replica& r = replicas_[std::size_t(rank)];
  r.device->compute().copy({host.data(), host.size(), DType::f32}, r.params.slice(DType::f32));
  r.device->compute().synchronize();
  return host;
}

std::vector<std::uint64_t> DataParallel::param_hashes() {
  std::vector<std::uint64_t> hashes;
  for (int rank = 0; rank < group_.size(); ++rank) hashes.push_back(hash_bits(params(rank)));
  return hashes;
}

std::vector<StepMarks> DataParallel::step(const std::vector<RankWork>& work) {
  Replay::Key shards;
  for (const RankWork& w : work) {
    shards.push_back(w.shard.size());
    shards.push_back(std::size_t(w.shard.images.dtype));
  }
  const auto rebind = [&] {
    for (std::size_t r = 0; r < replicas_.size(); ++r)
      replicas_[r].engine->rebind(replicas_[r].device->compute(), work[r].shard, work[r].scores);
  };
  const std::vector<Event> points = replay_->run(shards, rebind, [&] { return enqueue_step(work); });
  std::vector<StepMarks> marks;
  for (std::size_t i = 0; i + 3 < points.size(); i += 4)
    marks.push_back({points[i], points[i + 1], points[i + 2], points[i + 3]});
  return marks;
}

std::vector<Event> DataParallel::enqueue_step(const std::vector<RankWork>& work) {
  std::size_t batch = 0;
  for (const RankWork& w : work) batch += w.shard.size();
  std::vector<StepMarks> marks(work.size());
  const std::vector<Event> reduced = allreduce(compute_gradients(work, batch, marks));
  const float scale = -step_scale(batch);
  std::vector<Event> points;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    Stream& stream = replicas_[r].device->compute();
    stream.wait(reduced[r]);
    marks[r].reduced = stream.mark();
    stream.axpy(replicas_[r].params.slice(DType::f32), scale, replicas_[r].grads.slice(DType::f32));
    marks[r].updated = stream.mark();
    points.insert(points.end(), {marks[r].begin, marks[r].computed, marks[r].reduced, marks[r].updated});
  }
  return points;
}

std::vector<Event> DataParallel::compute_gradients(const std::vector<RankWork>& work, std::size_t batch,
                                                   std::vector<StepMarks>& marks) {
  std::vector<Event> ready;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    Replica& replica = replicas_[r];
    Stream& stream = replica.device->compute();
    const Slice grads = replica.grads.slice(DType::f32);
    const bool last = r + 1 == replicas_.size();
    marks[r].begin = stream.mark();
    if (replica.stale.bytes() > 0) stream.copy(replica.stale.slice(DType::f32), grads.sub(stale_range_));
    replica.engine->forward_backward(stream, work[r].shard, replica.params.slice(DType::f32), grads,
                                     work[r].scores);
    if (replica.stale.bytes() > 0) stream.copy(grads.sub(stale_range_), replica.stale.slice(DType::f32));
    if (options_.fault == Fault::drop_shard && last) stream.scale(grads, 0.0f);
    if (const double scale = shard_scale(work[r].shard.size(), batch); scale != 1.0)
      stream.scale(grads, float(scale));
    marks[r].computed = stream.mark();
    ready.push_back(stream.record());
  }
  return ready;
}

std::vector<Event> DataParallel::allreduce(std::vector<Event> ready) {
  std::vector<Slice> slices;
  for (Replica& replica : replicas_) slices.push_back(replica.grads.slice(DType::f32));
  const int times = options_.fault == Fault::double_reduce ? 2 : 1;
  for (int i = 0; i < times; ++i)
    for (const Range& bucket : buckets_) ready = reducer_->allreduce(slices, bucket, ready);
  return ready;
}

double DataParallel::shard_scale(std::size_t shard, std::size_t batch) const {
  if (shard == 0) return 1.0;  // an empty shard's gradient is zero
  const double mean = 1.0 / double(shard), k = double(replicas_.size());
  if (options_.fault == Fault::sum_not_mean || options_.fault == Fault::mean_of_means) return mean;
  if (options_.normalize == Normalize::mean_of_means) return mean;
  if (options_.normalize == Normalize::weighted) return mean * (k * double(shard) / double(batch));
  return 1.0;
}

float DataParallel::step_scale(std::size_t batch) const {
  const double k = double(replicas_.size());
  if (options_.fault == Fault::sum_not_mean) return float(options_.lr);
  if (options_.fault == Fault::mean_of_means || options_.normalize != Normalize::global)
    return float(options_.lr / k);
  return float(options_.lr / double(batch));
}

void DataParallel::evaluate(const std::vector<RankWork>& work) {
  for (std::size_t r = 0; r < replicas_.size(); ++r)
    replicas_[r].engine->evaluate(replicas_[r].device->compute(), work[r].shard,
                                  replicas_[r].params.slice(DType::f32), work[r].scores);
}

}  // namespace dpx
