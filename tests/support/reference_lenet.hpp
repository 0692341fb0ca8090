#pragma once
// LeNet in plain float64 loops on the textbook shapes (26x26, 13x13, 9x9, floor pool): what every engine is
// held to.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "lib/model/lenet.hpp"
#include "tests/support/reference_layers.hpp"

namespace dpx::test {

class ReferenceLeNet {
 public:
  struct Result {
    double loss;
    std::array<double, LeNet::kClasses> logits;
    /// First largest logit.
    int best() const;
  };

  ReferenceLeNet(const LeNet& model, std::span<const float> params);
  std::vector<double>& params() { return params_; }
  /// Loss and logits of one example. Shapes: image (28,28).
  Result forward(std::span<const double> image, int label);
  /// The same, and the gradient of the loss is added to `grads`. Shapes: grads (num_params).
  Result forward_backward(std::span<const double> image, int label, std::vector<double>& grads);

 private:
  const double* param(LeNet::Tensor t) const { return params_.data() + model_.range(t).first; }
  void backward(int label, const Result& result, Values& grads);

  LeNet model_;
  Values params_;
  Values image_, conv1_, pool1_, conv2_, pool2_,
      hidden_;  // activations of the last forward; conv before ReLU
};

/// Largest error relative to the largest expected value; infinite if a value is not a number.
double relative_error(std::span<const double> expected, std::span<const float> actual);

/// relative_error of one tensor.
struct TensorError {
  std::string name;
  double relative;
};
std::vector<TensorError> tensor_errors(const LeNet& model, std::span<const double> expected,
                                       std::span<const float> actual);
/// The worst of them.
TensorError worst_error(const LeNet& model, std::span<const double> expected, std::span<const float> actual);

}  // namespace dpx::test
