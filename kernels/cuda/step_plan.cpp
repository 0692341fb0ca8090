#include "kernels/cuda/step_plan.hpp"

#include <fmt/format.h>

#include "kernels/cuda/launch.hpp"

namespace dpx::cuda {

StepPlan::StepPlan(const PlanContext& c, int n)
    : context_(c),
      n_(n),
      conv1_(c.cudnn, {n, 1, kUsedSide, c.model.conv1_channels(), 3}, c.tf32),
      conv2_(c.cudnn, {n, c.model.conv1_channels(), kPool1Side, c.model.conv2_channels(), 5}, c.tf32),
      pool1_(c.cudnn, n, c.model.conv1_channels(), kConv1Side),
      pool2_(c.cudnn, n, c.model.conv2_channels(), kConv2Side),
      algorithms1_(conv1_.choose(false, c.workspace.bytes)),
      algorithms2_(conv2_.choose(true, c.workspace.bytes)) {
  const std::size_t needed = std::max(conv1_.use(algorithms1_, false), conv2_.use(algorithms2_, true));
  if (needed > c.workspace.bytes)
    throw Error(Exit::unavailable,
                fmt::format("cuDNN needs {} bytes of workspace for shards of {}, {} are set aside", needed, n,
                            c.workspace.bytes));
}

std::string StepPlan::algorithms() const {
  return fmt::format("conv1 {}; conv2 {}", describe(algorithms1_, false), describe(algorithms2_, true));
}

// Operands are those of run(); here only their alignment matters.
void StepPlan::make_products(const float* params, float* grads) {
  const PlanContext& c = context_;
  const Activations& a = c.activations;
  const int units = c.model.hidden(), flat = c.model.flat();
  const auto make = [&](const MatmulShape& shape, Epilogue epilogue, const Matmul::Operands& operands) {
    return std::make_unique<Matmul>(c.blas, shape, epilogue, c.tf32, operands, c.workspace.bytes);
  };
  if (!fc1_) {
    fc1_ = make({n_, units, flat}, Epilogue::bias_relu,
                {a.pool2, at(params, LeNet::fc1_w), a.hidden, at(params, LeNet::fc1_b)});
    fc2_ = make({n_, kNumClasses, units}, Epilogue::bias,
                {a.hidden, at(params, LeNet::fc2_w), a.logits, at(params, LeNet::fc2_b)});
  }
  if (grads == nullptr || fc2_weights_) return;
  fc2_weights_ = make({units, kNumClasses, n_, true, false}, Epilogue::none,
                      {a.hidden, a.dlogits, at(grads, LeNet::fc2_w)});
  dhidden_ = make({n_, units, kNumClasses, false, true}, Epilogue::none,
                  {a.dlogits, at(params, LeNet::fc2_w), a.dhidden});
  fc1_weights_ =
      make({flat, units, n_, true, false}, Epilogue::none, {a.pool2, a.dhidden, at(grads, LeNet::fc1_w)});
  dpool2_ =
      make({n_, flat, units, false, true}, Epilogue::none, {a.dhidden, at(params, LeNet::fc1_w), a.dpool2});
}

void StepPlan::forward(cudaStream_t stream, DType pixels, const float* params, bool gradients) {
  make_products(params, nullptr);
  const Activations& a = context_.activations;
  const LeNet& model = context_.model;
  const Workspace ws = context_.workspace;
  launch_gather(stream, a.arguments, pixels, a.x, n_);
  conv1_.forward(a.x, at(params, LeNet::conv1_w), a.conv1, ws);
  launch_bias_relu(stream, a.conv1, at(params, LeNet::conv1_b), n_, model.conv1_channels(),
                   kConv1Side * kConv1Side);
  pool1_.forward(a.conv1, a.pool1);
  conv2_.forward(a.pool1, at(params, LeNet::conv2_w), a.conv2, ws);
  launch_bias_relu(stream, a.conv2, at(params, LeNet::conv2_b), n_, model.conv2_channels(),
                   kConv2Side * kConv2Side);
  pool2_.forward(a.conv2, a.pool2);
  fc1_->run(stream, {a.pool2, at(params, LeNet::fc1_w), a.hidden, at(params, LeNet::fc1_b)}, ws);
  fc2_->run(stream, {a.hidden, at(params, LeNet::fc2_w), a.logits, at(params, LeNet::fc2_b)}, ws);
  launch_softmax_loss(stream, a.arguments, a.logits, gradients ? a.dlogits : nullptr, n_);
}

void StepPlan::backward(cudaStream_t stream, const float* params, float* grads) {
  make_products(params, grads);
  const Activations& a = context_.activations;
  const LeNet& model = context_.model;
  const Workspace ws = context_.workspace;
  const int c1 = model.conv1_channels(), c2 = model.conv2_channels(), units = model.hidden();
  launch_column_sums(stream, a.dlogits, nullptr, a.logit_sums, n_, kNumClasses);
  fc2_weights_->run(stream, {a.hidden, a.dlogits, at(grads, LeNet::fc2_w)}, ws);
  dhidden_->run(stream, {a.dlogits, at(params, LeNet::fc2_w), a.dhidden}, ws);
  launch_column_sums(stream, a.dhidden, a.hidden, a.hidden_sums, n_, units);
  fc1_weights_->run(stream, {a.pool2, a.dhidden, at(grads, LeNet::fc1_w)}, ws);
  dpool2_->run(stream, {a.dhidden, at(params, LeNet::fc1_w), a.dpool2}, ws);
  pool2_.backward(a.conv2, a.pool2, a.dpool2, a.dconv2);
  launch_relu_channel_sums(stream, a.dconv2, a.conv2, a.conv2_sums, n_, c2, kConv2Side * kConv2Side);
  conv2_.backward_weights(a.pool1, a.dconv2, at(grads, LeNet::conv2_w), ws);
  conv2_.backward_data(a.dconv2, at(params, LeNet::conv2_w), a.dpool1, ws);
  pool1_.backward(a.conv1, a.pool1, a.dpool1, a.dconv1);
  launch_relu_channel_sums(stream, a.dconv1, a.conv1, a.conv1_sums, n_, c1, kConv1Side * kConv1Side);
  conv1_.backward_weights(a.x, a.dconv1, at(grads, LeNet::conv1_w), ws);
  launch_finish_sums(stream, {{{a.conv1_sums, at(grads, LeNet::conv1_b), c1},
                               {a.conv2_sums, at(grads, LeNet::conv2_b), c2},
                               {a.hidden_sums, at(grads, LeNet::fc1_b), units},
                               {a.logit_sums, at(grads, LeNet::fc2_b), kNumClasses}}});
}

}  // namespace dpx::cuda
