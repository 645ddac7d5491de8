// Kernels of known cause, first part: global memory. Each wastes its time in one way and, as far as that can be
// had, in no other.
// Every kernel is extern "C", so that a profiler shows the plain name.
#include <cuda_fp16.h>

#define SPECIMEN extern "C" __global__ void
#define GLOBAL_THREAD (blockIdx.x * (long long)blockDim.x + threadIdx.x)

// ---- memory: how addresses meet sectors, banks and levels

// One of eight floats is used: 4 of the 32 bytes of every sector that is fetched.
SPECIMEN specimen_copy_strided(const float* x, float* y, int n) {
    long long i = GLOBAL_THREAD;
    if (i < n) y[i] = x[i * 8];
}

// Reads along rows, writes along columns: 32 lanes store to 32 rows.
SPECIMEN specimen_transpose_naive(const float* x, float* y, int width) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8)
        y[(long long)column * width + row + step] = x[(long long)(row + step) * width + column];
}

template <int PITCH>
__device__ void transpose(const float* x, float* y, int width, float* tile) {
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8)
        tile[(threadIdx.y + step) * PITCH + threadIdx.x] = x[(long long)(row + step) * width + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8)
        y[(long long)(row + step) * width + column] = tile[threadIdx.x * PITCH + threadIdx.y + step];
}

// Columns of an unpadded 32 x 32 tile lie in one bank: 32 wavefronts instead of one.
SPECIMEN specimen_transpose_conflict(const float* x, float* y, int width) {
    __shared__ float tile[32 * 32];
    transpose<32>(x, y, width, tile);
}

// The same with one float of padding: no conflict is left, DRAM is.
SPECIMEN specimen_transpose_padded(const float* x, float* y, int width) {
    __shared__ float tile[32 * 33];
    transpose<33>(x, y, width, tile);
}

// One 2-byte element a thread: too few bytes are under way to keep DRAM busy.
SPECIMEN specimen_scale_narrow(const __half* x, __half* y, long long n) {
    long long i = GLOBAL_THREAD;
    if (i < n) y[i] = __hmul(x[i], __float2half(1.5f));
}

// Walks a table past the L1, four loads under way at once.
__device__ float reread(const float4* x, int at, int lines, int steps) {
    float sum = 0;
    for (int step = 0; step < steps; step += 4) {
        float4 v[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            v[j] = __ldcg(x + at);
            at += blockDim.x;
            if (at >= lines) at -= lines;
        }
#pragma unroll
        for (int j = 0; j < 4; ++j) sum += v[j].x + v[j].y + v[j].z + v[j].w;
    }
    return sum;
}

// All blocks walk the same few megabytes: the L2 serves everything.
SPECIMEN specimen_l2_reread(const float4* x, float* y, int lines, int steps) {
    float sum = reread(x, (blockIdx.x * 1031 + threadIdx.x) % lines, lines, steps);
    if (sum == 12345.0f) y[0] = sum;
}

// The same over a table that fits the L2 and not one of its halves.
SPECIMEN specimen_l2_halves(const float4* x, float* y, int lines, int steps) {
    long long start = blockIdx.x * (long long)lines / gridDim.x;
    float sum = reread(x, (int)start + threadIdx.x, lines, steps);
    if (sum == 12345.0f) y[0] = sum;
}

// All blocks store to the same few megabytes, each half of the L2 to lines of the other.
SPECIMEN specimen_l2_rewrite(float4* y, int lines, int steps) {
    int at = (int)(blockIdx.x * (long long)lines / gridDim.x) + threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        y[at] = make_float4(step, at, step, at);
        at += blockDim.x;
        if (at >= lines) at -= lines;
    }
}

// Warps follow a chain of 128-byte lines, coalesced, each address known only when the last line is there.
__device__ int chase(const int* next, int line, int steps) {
    int lane = threadIdx.x & 31;
    for (int step = 0; step < steps; ++step) line = next[line * 32LL + lane];
    return line;
}

SPECIMEN specimen_pointer_chase(const int* next, int* y, int lines, int steps) {
    int warp = GLOBAL_THREAD / 32;
    int line = chase(next, (warp * 7919LL) % lines, steps);
    if (line < 0) y[0] = line;
}

// The same chain, and 200 live registers: one block of 256 threads an SM.
SPECIMEN __launch_bounds__(256) specimen_occupancy_registers(const int* next, const float* x, float* y, int lines, int steps) {
    float kept[200];
#pragma unroll
    for (int j = 0; j < 200; ++j) {
        kept[j] = x[threadIdx.x + j * 256];
        asm volatile("" : "+f"(kept[j]));
    }
    int line = chase(next, ((GLOBAL_THREAD / 32) * 7919LL) % lines, steps);
    float sum = line;
#pragma unroll
    for (int j = 0; j < 200; ++j) {
        asm volatile("" : "+f"(kept[j]));
        sum = fmaf(sum, 0.5f, kept[j]);
    }
    y[GLOBAL_THREAD] = sum;
}

// The same chain, and 200 KB of shared memory a block: one block of 256 threads an SM.
SPECIMEN specimen_occupancy_shared(const int* next, float* y, int lines, int steps) {
    extern __shared__ float held[];
    held[threadIdx.x] = threadIdx.x;
    int line = chase(next, ((GLOBAL_THREAD / 32) * 7919LL) % lines, steps);
    y[GLOBAL_THREAD] = line + held[threadIdx.x ^ 1];
}

// The same chain in blocks of one warp: the SM has block slots for half of its warps.
SPECIMEN specimen_occupancy_blocks(const int* next, float* y, int lines, int steps) {
    int line = chase(next, ((GLOBAL_THREAD / 32) * 7919LL) % lines, steps);
    y[GLOBAL_THREAD] = line;
}

// The same chain in blocks that take all 16 named barriers: the SM has 64 of them.
SPECIMEN specimen_occupancy_barriers(const int* next, float* y, int lines, int steps) {
#define WAIT(name) asm volatile("bar.sync " #name ", 128;" ::: "memory")
    WAIT(1); WAIT(2); WAIT(3); WAIT(4); WAIT(5); WAIT(6); WAIT(7); WAIT(8);
    WAIT(9); WAIT(10); WAIT(11); WAIT(12); WAIT(13); WAIT(14); WAIT(15);
#undef WAIT
    __syncthreads();
    int line = chase(next, ((GLOBAL_THREAD / 32) * 7919LL) % lines, steps);
    y[GLOBAL_THREAD] = line;
}

// Sixteen byte loads and stores where one 16-byte access would do.
SPECIMEN specimen_bytes_one_by_one(const unsigned char* x, unsigned char* y, int n) {
    long long i = GLOBAL_THREAD * 16;
    if (i + 16 > n) return;
    unsigned char v[16];
#pragma unroll
    for (int j = 0; j < 16; ++j) v[j] = ((const volatile unsigned char*)x)[i + j];
#pragma unroll
    for (int j = 0; j < 16; ++j) ((volatile unsigned char*)y)[i + j] = v[j] + 1;
}

// Byte after byte of a small table, neighbouring lanes on neighbouring bytes; volatile loads go past the L1.
SPECIMEN specimen_byte_table(const unsigned char* table, unsigned* y, int steps) {
    unsigned sum = 0;
    for (int step = 0; step < steps; ++step) {
        unsigned char v[16];
#pragma unroll
        for (int j = 0; j < 16; ++j)
            v[j] = ((const volatile unsigned char*)table)[(threadIdx.x + j * 256 + step * 64) & 8191];
#pragma unroll
        for (int j = 0; j < 16; ++j) sum += v[j];
    }
    y[GLOBAL_THREAD] = sum;
}

// Byte after byte stored to a few kilobytes, neighbouring lanes on neighbouring bytes: nothing is waited for but the queue.
SPECIMEN specimen_byte_fill(unsigned char* table, int steps) {
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int j = 0; j < 16; ++j)
            ((volatile unsigned char*)table)[(GLOBAL_THREAD + j * 4096LL + step * 64) & 0x3ffff] = step + j;
}

// Reads host memory across the bus.
SPECIMEN specimen_host_memory(const float4* host, float4* y, int n) {
    long long i = GLOBAL_THREAD;
    if (i < n) y[i] = host[i];
}
