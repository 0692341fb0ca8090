// What a backend does that knows only its devices.
#include "lib/backend/backend.hpp"

#include "tests/support/devices.hpp"
#include "tests/support/expect_error.hpp"

namespace dpx {
namespace {

class PlainBackend final : public Backend {
 public:
  std::string_view name() const override { return "plain"; }
  std::vector<std::unique_ptr<Device>> open(const DeviceRequest& request) override {
    return make_backend("cpu")->open(request);
  }
  std::unique_ptr<ModelEngine> make_engine(Device&, const LeNet&, std::size_t) override { return nullptr; }
};

TEST(Backend, ReducesOnStreamsUnlessItKnowsBetter) {
  PlainBackend backend;
  Group group(backend.open({2, 1}));
  EXPECT_EQ(backend.make_reducer_on(std::nullopt, "ring", group)->transport(), "streams");
}

TEST(Backend, SaysThatItCannotEmulateLinks) {
  PlainBackend backend;
  Group group(backend.open({2, 1}));
  EXPECT_EQ(test::error_of([&] { backend.make_reducer_on(parse_link_model("beta=1GB/s"), "ring", group); },
                           Exit::unavailable),
            "--link: backend plain cannot emulate links; --backend cpu can");
}

}  // namespace
}  // namespace dpx
