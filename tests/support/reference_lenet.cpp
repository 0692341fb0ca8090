#include "tests/support/reference_lenet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dpx::test {

int ReferenceLeNet::Result::best() const {
  return int(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

ReferenceLeNet::ReferenceLeNet(const LeNet& model, std::span<const float> params)
    : model_(model), params_(params.begin(), params.end()) {}

ReferenceLeNet::Result ReferenceLeNet::forward(std::span<const double> image, int label) {
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels();
  image_.assign(image.begin(), image.end());
  conv1_ = convolve(image_, 1, 28, param(LeNet::conv1_w), param(LeNet::conv1_b), c1, 3);
  pool1_ = relu_pool(conv1_, c1, 26);
  conv2_ = convolve(pool1_, c1, 13, param(LeNet::conv2_w), param(LeNet::conv2_b), c2, 5);
  pool2_ = relu_pool(conv2_, c2, 9);
  hidden_.resize(std::size_t(model_.hidden()));
  dense(pool2_.data(), model_.flat(), param(LeNet::fc1_w), param(LeNet::fc1_b), model_.hidden(),
        hidden_.data());
  for (double& h : hidden_) h = std::max(0.0, h);
  Result result{};
  dense(hidden_.data(), model_.hidden(), param(LeNet::fc2_w), param(LeNet::fc2_b), LeNet::kClasses,
        result.logits.data());
  const double largest = *std::max_element(result.logits.begin(), result.logits.end());
  double sum = 0;
  for (double z : result.logits) sum += std::exp(z - largest);
  result.loss = std::log(sum) + largest - result.logits[std::size_t(label)];
  return result;
}

ReferenceLeNet::Result ReferenceLeNet::forward_backward(std::span<const double> image, int label,
                                                        Values& grads) {
  const Result result = forward(image, label);
  backward(label, result, grads);
  return result;
}

void ReferenceLeNet::backward(int label, const Result& result, Values& grads) {
  const auto grad = [&](LeNet::Tensor t) { return grads.data() + model_.range(t).first; };
  const int c1 = model_.conv1_channels(), c2 = model_.conv2_channels();
  Values dlogits(LeNet::kClasses);
  for (int c = 0; c < LeNet::kClasses; ++c)  // log of the softmax's denominator is loss + logit of the label
    dlogits[std::size_t(c)] =
        std::exp(result.logits[std::size_t(c)] - result.logits[std::size_t(label)] - result.loss) -
        (c == label);
  Values dhidden =
      dense_backward(hidden_, param(LeNet::fc2_w), dlogits, grad(LeNet::fc2_w), grad(LeNet::fc2_b));
  for (std::size_t h = 0; h < hidden_.size(); ++h)
    if (hidden_[h] <= 0) dhidden[h] = 0;
  const Values dpool2 =
      dense_backward(pool2_, param(LeNet::fc1_w), dhidden, grad(LeNet::fc1_w), grad(LeNet::fc1_b));
  const Values dconv2 = relu_pool_backward(conv2_, dpool2, c2, 9);
  const Values dpool1 = convolve_backward(pool1_, c1, 13, param(LeNet::conv2_w), dconv2, c2, 5,
                                          grad(LeNet::conv2_w), grad(LeNet::conv2_b));
  const Values dconv1 = relu_pool_backward(conv1_, dpool1, c1, 26);
  convolve_backward(image_, 1, 28, param(LeNet::conv1_w), dconv1, c1, 3, grad(LeNet::conv1_w),
                    grad(LeNet::conv1_b));
}

double relative_error(std::span<const double> expected, std::span<const float> actual) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(expected[i] - double(actual[i]));
    error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(error, difference);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest == 0 ? error : error / largest;
}

std::vector<TensorError> tensor_errors(const LeNet& model, std::span<const double> expected,
                                       std::span<const float> actual) {
  std::vector<TensorError> errors;
  for (const ParamTensor& t : model.tensors()) {
    const Range r = t.elements;
    errors.push_back({std::string(t.name),
                      relative_error(expected.subspan(r.first, r.count), actual.subspan(r.first, r.count))});
  }
  return errors;
}

TensorError worst_error(const LeNet& model, std::span<const double> expected, std::span<const float> actual) {
  TensorError worst{"none", 0};
  for (const TensorError& e : tensor_errors(model, expected, actual))
    if (e.relative > worst.relative) worst = e;
  return worst;
}

}  // namespace dpx::test
