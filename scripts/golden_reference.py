"""What dpx computes, in float64 numpy: Philox4x32-10, initial parameters, data, LeNet forward and backward, SGD.

Written from the definitions (the Philox paper, the chapter's LeNet on its textbook shapes); shares no code with C++.
"""
import math
import sys

try:
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view
except ImportError:
    sys.exit(f"{sys.executable} has no numpy: apt-get install python3-numpy, and use /usr/bin/python3")

SHUFFLE, NORMAL_IMAGE, RANDOM_LABEL = 32, 33, 34  # random streams; stream t < 8 is parameter tensor t
TENSORS = [("conv1.weight", (20, 1, 3, 3)), ("conv1.bias", (20,)), ("conv2.weight", (50, 20, 5, 5)),
           ("conv2.bias", (50,)), ("fc1.weight", (800, 128)), ("fc1.bias", (128,)), ("fc2.weight", (128, 10)),
           ("fc2.bias", (10,))]


# ---- random numbers -------------------------------------------------------------------------------------------------

def philox(seed, stream, index, substream=0):
    """Philox4x32-10 of counters (index low, index high, stream, substream); `index` is an array. (4, n) uint64."""
    low32, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    index = np.atleast_1d(np.asarray(index, dtype=np.uint64))
    c = [index & low32, index >> shift, np.full_like(index, stream), np.full_like(index, substream)]
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p0, p1 = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(p1 >> shift) ^ c[1] ^ np.uint64(k0), p1 & low32, (p0 >> shift) ^ c[3] ^ np.uint64(k1), p0 & low32]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(c)


def normal(seed, stream, index):
    """Box-Muller, cosine branch, of words 0 and 1."""
    u1, u2 = (philox(seed, stream, index)[:2].astype(np.float64) + 0.5) / 2.0**32
    return np.sqrt(-2 * np.log(u1)) * np.cos(2 * np.pi * u2)


def below(bound, seed, stream, index, substream=0):
    return (philox(seed, stream, index, substream)[0] * np.uint64(bound)) >> np.uint64(32)


def shuffled(n, seed, epoch):
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(below(i + 1, seed, SHUFFLE, i, epoch)[0])
        order[i], order[j] = order[j], order[i]
    return order


def normal_examples(n, seed):
    images = normal(seed, NORMAL_IMAGE, np.arange(n * 784)).astype(np.float32)
    return images.astype(np.float64).reshape(n, 1, 28, 28), below(10, seed, RANDOM_LABEL, np.arange(n)).astype(int)


def initial_params(seed, he=False):
    """Weights 0.01 N(0,1) rounded to float32, biases 0. `he`: each weight times sqrt(2/fan_in)/0.01, rounded again."""
    params = []
    for t, (_, shape) in enumerate(TENSORS):
        if len(shape) == 1:
            params.append(np.zeros(shape))
            continue
        w = (0.01 * normal(seed, t, np.arange(math.prod(shape)))).astype(np.float32).astype(np.float64)
        if he:
            w = (w * (math.sqrt(2.0 / fan_in(shape)) / 0.01)).astype(np.float32).astype(np.float64)
        params.append(w.reshape(shape))
    return params


def fan_in(shape):
    """Convolutions are (out, in, rows, columns), dense layers (in, out)."""
    return math.prod(shape[1:]) if len(shape) == 4 else shape[0]


# ---- LeNet ----------------------------------------------------------------------------------------------------------

def conv(x, w, b):
    """x (n,c,h,w), w (m,c,r,s) without padding. Returns y (n,m,h-r+1,w-s+1)."""
    windows = sliding_window_view(x, w.shape[2:], axis=(2, 3))  # n,c,oh,ow,r,s
    return np.einsum("ncijrs,mcrs->nmij", windows, w, optimize=True) + b[None, :, None, None]


def conv_backward(x, w, dy, need_dx):
    windows = sliding_window_view(x, w.shape[2:], axis=(2, 3))
    dw, db = np.einsum("nmij,ncijrs->mcrs", dy, windows, optimize=True), dy.sum(axis=(0, 2, 3))
    if not need_dx:
        return None, dw, db
    dx = np.zeros_like(x)
    for r in range(w.shape[2]):
        for s in range(w.shape[3]):
            dx[:, :, r:r + dy.shape[2], s:s + dy.shape[3]] += np.einsum("nmij,mc->ncij", dy, w[:, :, r, s])
    return dx, dw, db


def pool(x):
    """Mean over 2x2; an odd last row or column is left out."""
    n, c, h, w = x.shape
    return x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).mean(axis=(3, 5))


def pool_backward(shape, dy):
    dx = np.zeros(shape)
    dx[:, :, :dy.shape[2] * 2, :dy.shape[3] * 2] = np.repeat(np.repeat(dy, 2, axis=2), 2, axis=3) / 4
    return dx


def forward(params, images):
    w1, b1, w2, b2, w3, b3, w4, b4 = params
    a1 = conv(images, w1, b1)
    p1 = pool(np.maximum(a1, 0))
    a2 = conv(p1, w2, b2)
    flat = pool(np.maximum(a2, 0)).reshape(len(images), -1)
    a3 = flat @ w3 + b3
    h = np.maximum(a3, 0)
    return h @ w4 + b4, (a1, p1, a2, flat, a3, h)


def cross_entropy(logits, labels):
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = np.arange(len(labels))
    dlogits = np.exp(log_p)
    dlogits[rows, labels] -= 1
    return -log_p[rows, labels], dlogits


def forward_backward(params, images, labels):
    """Returns logits, the loss of each example, and the gradients of the sum of the losses."""
    _, _, w2, _, w3, _, w4, _ = params
    logits, (a1, p1, a2, flat, a3, h) = forward(params, images)
    losses, dlogits = cross_entropy(logits, labels)
    da3 = (dlogits @ w4.T) * (a3 > 0)
    dpool2 = (da3 @ w3.T).reshape(len(images), 50, 4, 4)
    da2 = pool_backward(a2.shape, dpool2) * (a2 > 0)
    dp1, dw2, db2 = conv_backward(p1, w2, da2, need_dx=True)
    da1 = pool_backward(a1.shape, dp1) * (a1 > 0)
    _, dw1, db1 = conv_backward(images, params[0], da1, need_dx=False)
    return logits, losses, [dw1, db1, dw2, db2, flat.T @ da3, da3.sum(axis=0), h.T @ dlogits, dlogits.sum(axis=0)]


def sgd_losses(params, images, labels, batch, steps, lr):
    """Mean loss of each batch, in plain order, before its update."""
    means = []
    for step in range(steps):
        rows = slice(step * batch, (step + 1) * batch)
        _, losses, grads = forward_backward(params, images[rows], labels[rows])
        means.append(float(losses.mean()))
        params = [p - lr / batch * g for p, g in zip(params, grads)]
    return means


def slope_error(params, images, labels, seed=1, eps=1e-6):
    """Relative difference of the gradient and a central difference, along a random direction in each tensor."""
    grads, worst = forward_backward(params, images, labels)[2], 0.0
    for t, g in enumerate(grads):
        v = normal(seed, t, np.arange(g.size)).reshape(g.shape)
        v /= np.linalg.norm(v)

        def loss(step, t=t, v=v):
            moved = params[:t] + [params[t] + step * v] + params[t + 1:]
            return cross_entropy(forward(moved, images)[0], labels)[0].sum()
        expected = (loss(eps) - loss(-eps)) / (2 * eps)
        worst = max(worst, abs(expected - (g * v).sum()) / np.linalg.norm(g))
    return worst
