#include "tests/fake_cuda/nccl/group.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "tests/fake_cuda/runtime/graph.hpp"
#include "tests/fake_cuda/runtime/library.hpp"
#include "tests/fake_cuda/runtime/report.hpp"

namespace fake {
namespace {

/// The variables that real ones of all versions know: whoever looks for a name in the library finds it.
[[gnu::used]] const char* const kVariables[] = {"NCCL_ALGO", "NCCL_P2P_DISABLE", "NCCL_SHM_USE_CUDA_MEMCPY"};

/// Virtual: NCCL_PROTO=LL starts sooner and carries half.
double seconds_of(std::size_t bytes) {
  const char* protocol = std::getenv("NCCL_PROTO");
  const bool low_latency = protocol && std::strcmp(protocol, "LL") == 0;
  return (low_latency ? 5e-6 : 20e-6) + (low_latency ? 4 : 2) * static_cast<double>(bytes) / 25e9;
}

/// One collective: the first rank to run computes, each writes its own result. Replayed by graphs.
struct Collective {
  std::vector<Contribution> contributions;  ///< by rank
  std::size_t runs = 0;
  std::vector<char> result = {};
  void run(std::size_t rank) {
    if (runs++ % contributions.size() == 0) result = sum_of(contributions);
    std::memcpy(contributions[rank].receive, result.data(), result.size());
  }
};

/// Every rank's part starts when all ranks have come. Returns what each part must wait for.
std::vector<PointRef> arrive(const std::vector<Stream*>& streams, const std::string& where) {
  std::vector<PointRef> arrivals;
  for (Stream* stream : streams) {
    Operation arrival{.kind = Operation::Kind::mark, .name = "arrival at " + where};
    arrival.device = stream->device;
    arrival.records = std::make_shared<Point>(Point{.stream = stream->id});
    arrivals.push_back(arrival.records);
    scheduler().issue(*stream, std::move(arrival));
  }
  return arrivals;
}

/// While capturing, arrivals are edges: each part comes after the last nodes of all streams.
void arrive_in_capture(const std::vector<Stream*>& streams) {
  std::set<int> tails;
  for (const Stream* stream : streams) {
    require_else(stream->capture == streams.front()->capture, ncclInvalidUsage);
    tails.insert(stream->tail.begin(), stream->tail.end());
  }
  for (Stream* stream : streams) stream->tail.assign(tails.begin(), tails.end());
}

void start(std::vector<Contribution> contributions) {
  std::sort(contributions.begin(), contributions.end(),
            [](const auto& a, const auto& b) { return a.comm->rank < b.comm->rank; });
  std::vector<Stream*> streams;
  for (const Contribution& c : contributions) streams.push_back(&stream_of(c.stream, "ncclAllReduce"));
  const bool capturing =
      std::any_of(streams.begin(), streams.end(), [](const Stream* s) { return s->capture; });
  std::vector<PointRef> waits;
  if (capturing)
    arrive_in_capture(streams);
  else
    waits = arrive(streams, "ncclAllReduce");
  if (injected_failure("nccl_hang") || stuck("collective"))
    waits.push_back(contributions.front().comm->clique->aborted);
  const std::size_t bytes = contributions.front().count * bytes_of(contributions.front().type);
  const double seconds = seconds_of(bytes);
  const auto collective = std::make_shared<Collective>(Collective{std::move(contributions)});
  std::shared_ptr<void> captured;
  if (capturing) {
    captured = std::make_shared<int>();
    collective->contributions.front().comm->clique->captured.push_back(captured);
  }
  for (std::size_t rank = 0; rank < streams.size(); ++rank) {
    const Contribution& own = collective->contributions[rank];
    Operation part = library_kernel("ncclAllReduce of rank " + std::to_string(rank), *streams[rank],
                                    {{own.send, bytes, false}, {own.receive, bytes, true}}, seconds,
                                    [collective, rank] { collective->run(rank); });
    part.any_gpu = true;
    part.waits = waits;
    part.captured = captured;
    scheduler().issue(*streams[rank], std::move(part));
  }
}

/// The receive that belongs to `send`, taken out of `messages`.
Message take_receive(const Message& send, std::vector<Message>& messages) {
  const auto found = std::find_if(messages.begin(), messages.end(), [&](const Message& m) {
    return m.receive && m.comm->clique == send.comm->clique && m.comm->rank == send.peer &&
           m.peer == send.comm->rank;
  });
  const std::string what = "rank " + std::to_string(send.comm->rank) + " sends " +
                           std::to_string(send.bytes) + " bytes to rank " + std::to_string(send.peer);
  if (found == messages.end()) stop("deadlock: " + what + ", which receives nothing from it in this group");
  const Message receive = *found;
  messages.erase(found);
  if (receive.bytes != send.bytes)
    stop("deadlock: " + what + ", which receives " + std::to_string(receive.bytes));
  return receive;
}

/// The receiver's stream copies. Returns the point that the sender's must wait for.
PointRef carry(const Message& send, const Message& receive, const std::vector<PointRef>& waits) {
  Stream& to = stream_of(receive.stream, "ncclRecv");
  const std::string ranks = std::to_string(receive.comm->rank) + " from " + std::to_string(send.comm->rank);
  const double seconds = 10e-6 + static_cast<double>(send.bytes) / 25e9;
  Operation copy = library_kernel(
      "ncclRecv of rank " + ranks, to, {{send.send, send.bytes, false}, {receive.receive, send.bytes, true}},
      seconds, [send, receive] { std::memmove(receive.receive, send.send, send.bytes); });
  copy.any_gpu = true;
  copy.waits = waits;
  copy.records = std::make_shared<Point>(Point{.stream = to.id});
  const PointRef done = copy.records;
  scheduler().issue(to, std::move(copy));
  return done;
}

void finish(const Message& send, const PointRef& done) {
  Stream& from = stream_of(send.stream, "ncclSend");
  Operation rest{.kind = Operation::Kind::mark, .name = "ncclSend to rank " + std::to_string(send.peer)};
  rest.device = from.device;
  rest.waits = {done};
  scheduler().issue(from, std::move(rest));
}

}  // namespace

bool stuck(const char* place) {
  const char* wanted = std::getenv("DPX_FAKE_NCCL_STUCK");
  const std::string text = wanted ? wanted : "", start = std::string(place) + ":";
  const std::size_t equals = text.find('=');
  if (text.rfind(start, 0) != 0 || equals == std::string::npos) return false;
  const char* value = std::getenv(text.substr(start.size(), equals - start.size()).c_str());
  return value && text.substr(equals + 1) == value;
}

Group& group() {
  thread_local Group instance;
  return instance;
}

bool Group::close() {
  if (depth_ == 0) return false;
  --depth_;
  flush_if_closed();
  return true;
}

void Group::add(const Contribution& contribution) {
  contributions_.push_back(contribution);
  flush_if_closed();
}

void Group::add(const Message& message) {
  messages_.push_back(message);
  flush_if_closed();
}

void Group::flush_if_closed() {
  if (depth_ > 0) return;
  start_collectives();
  start_messages();
}

/// The first call of each rank belongs together, then the second.
void Group::start_collectives() {
  while (!contributions_.empty()) {
    const Contribution first = contributions_.front();
    std::vector<Contribution> together;
    std::set<int> ranks;
    std::erase_if(contributions_, [&](const Contribution& c) {
      if (c.comm->clique != first.comm->clique || !ranks.insert(c.comm->rank).second) return false;
      together.push_back(c);
      return true;
    });
    if (static_cast<int>(together.size()) != first.comm->size())
      stop("deadlock: " + std::to_string(together.size()) + " of " + std::to_string(first.comm->size()) +
           " ranks called ncclAllReduce in this group; one thread that serves all ranks must call for all of "
           "them "
           "between ncclGroupStart and ncclGroupEnd");
    for (const Contribution& c : together)
      if (c.count != first.count || c.type != first.type)
        stop("deadlock: ranks call ncclAllReduce with different counts or types");
    if (first.count > 0) start(std::move(together));
  }
}

void Group::start_messages() {
  std::vector<Message> messages, sends;
  messages.swap(messages_);
  std::vector<Stream*> streams;
  for (const Message& m : messages) {
    streams.push_back(&stream_of(m.stream, m.send ? "ncclSend" : "ncclRecv"));
    if (streams.back()->capture) fake_unfaked("ncclSend and ncclRecv while capturing", "libnccl.so.2");
    if (m.send) sends.push_back(m);
  }
  if (messages.empty()) return;
  std::erase_if(messages, [](const Message& m) { return m.send; });
  std::vector<PointRef> waits = arrive(streams, "ncclSend or ncclRecv");
  if (injected_failure("nccl_hang")) waits.push_back(sends.front().comm->clique->aborted);
  std::vector<PointRef> done;  // all copies run at once: none comes after the end of another
  for (const Message& send : sends) done.push_back(carry(send, take_receive(send, messages), waits));
  for (std::size_t i = 0; i < sends.size(); ++i) finish(sends[i], done[i]);
  if (!messages.empty())
    stop("deadlock: rank " + std::to_string(messages.front().comm->rank) + " receives from rank " +
         std::to_string(messages.front().peer) + ", which sends nothing to it in this group");
}

}  // namespace fake
