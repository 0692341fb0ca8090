#pragma once
// LeNet's layers for one example in plain float64 loops.
#include <vector>

namespace dpx::test {

using Values = std::vector<double>;

/// Shapes: x (in,side,side), w (out,in,k,k), b (out) -> (out,side-k+1,side-k+1).
Values convolve(const Values& x, int in, int side, const double* w, const double* b, int out, int k);
/// Adds to dw and db; returns dx.
Values convolve_backward(const Values& x, int in, int side, const double* w, const Values& dy, int out, int k,
                         double* dw, double* db);

/// ReLU, then 2x2 average with stride 2; an odd last row and column is dropped.
Values relu_pool(const Values& x, int channels, int side);
/// x: the input of relu_pool.
Values relu_pool_backward(const Values& x, const Values& dy, int channels, int side);

/// y = x w + b. Shapes: x (in), w (in,out), b (out), y (out).
void dense(const double* x, int in, const double* w, const double* b, int out, double* y);
/// Adds to dw and db; returns dx.
Values dense_backward(const Values& x, const double* w, const Values& dy, double* dw, double* db);

}  // namespace dpx::test
