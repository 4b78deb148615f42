// Cuts squares out of an album's pictures in one go, for bench/train/dice_album.py, which builds it with nvcc for a GPU
// or with g++ for a processor. Does what `Album.cut` says of itself.
#include <cmath>
#include <cstddef>
#include <cstdint>
#ifdef __CUDACC__
#define ON __device__ inline
#else
#define ON static inline
#endif

struct Job {
    const uint8_t *pixels;         // red, green, blue of all pictures, whole, halved, ...
    const int64_t *starts, *sizes; // (pictures, levels) and (pictures, levels, 2): width, height
    const int64_t *which;          // (squares)
    const float *back;             // (squares, 2, 3)
    float *out;                    // (squares, 3, side, side)
    int squares, side, levels;
    float shrunk[8];               // pixels of the picture to one of the square, from which the next level is cut
};

ON void cut_pixel(const Job &j, int square, int pixel) {
    const float *a = j.back + square * 6;
    const float u = pixel % j.side, v = pixel / j.side, step = sqrtf(fabsf(a[0] * a[4] - a[1] * a[3]));
    int level = 0;
    while (level < j.levels - 1 && step > j.shrunk[level]) level++;
    const float share = 1.f / (1 << level);
    const int64_t picture = j.which[square] * j.levels + level, begin = j.starts[picture];
    const int width = (int)j.sizes[2 * picture], height = (int)j.sizes[2 * picture + 1];
    const float x = fminf(fmaxf((a[0] * u + a[1] * v + a[2] + 0.5f) * share - 0.5f, 0.f), width - 1.f);
    const float y = fminf(fmaxf((a[3] * u + a[4] * v + a[5] + 0.5f) * share - 0.5f, 0.f), height - 1.f);
    const int left = (int)x, top = (int)y, right = left + 1 < width ? left + 1 : left;
    const int low = top + 1 < height ? top + 1 : top;
    const float across = x - left, down = y - top;
    const uint8_t *p = j.pixels + 3 * (begin + (int64_t)top * width), *q = j.pixels + 3 * (begin + (int64_t)low * width);
    float *out = j.out + (size_t)square * 3 * j.side * j.side + pixel;
    for (int k = 0; k < 3; k++) {
        const float upper = p[3 * left + k] * (1 - across) + p[3 * right + k] * across;
        const float lower = q[3 * left + k] * (1 - across) + q[3 * right + k] * across;
        out[(size_t)k * j.side * j.side] = (upper * (1 - down) + lower * down) * (1 / 255.f);
    }
}

#ifdef __CUDACC__
__global__ void cut_pixels(Job j) {
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel < j.side * j.side) cut_pixel(j, blockIdx.y, pixel);
}
extern "C" int cut(Job j) {
    // on the stream that PyTorch works on, so that neither waits
    cut_pixels<<<dim3((j.side * j.side + 127) / 128, j.squares), 128>>>(j);
    return (int)cudaGetLastError();
}
#else
extern "C" int cut(Job j) {
    for (int square = 0; square < j.squares; square++)
        for (int pixel = 0; pixel < j.side * j.side; pixel++) cut_pixel(j, square, pixel);
    return 0;
}
#endif
