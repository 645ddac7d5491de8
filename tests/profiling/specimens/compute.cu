// Kernels of known cause, second part: shared memory, pipes, control flow and launches. Each wastes its time in
// one way and, as far as that can be had, in no other.
// Every kernel is extern "C", so that a profiler shows the plain name.
#define SPECIMEN extern "C" __global__ void
#define GLOBAL_THREAD (blockIdx.x * (long long)blockDim.x + threadIdx.x)

__device__ __forceinline__ unsigned shared_address(const void* place) {
    return (unsigned)__cvta_generic_to_shared(place);
}

// ---- shared memory

// A chain through shared memory in the first four warps of each block; the others are done at once.
SPECIMEN specimen_shared_chain(int* y, int steps) {
    __shared__ int next[4096];
    for (int at = threadIdx.x; at < 4096; at += blockDim.x) next[at] = (at + 33 * 32) & 4095;
    __syncthreads();
    if (threadIdx.x >= 128) return;
    int at = threadIdx.x;
    for (int step = 0; step < steps; ++step) at = next[at];
    y[blockIdx.x * 128 + threadIdx.x] = at;
}

// All threads of a block add to two words of shared memory.
SPECIMEN specimen_shared_atomics(const unsigned* x, unsigned* y, int steps) {
    __shared__ unsigned bins[2];
    if (threadIdx.x < 2) bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned value = x[GLOBAL_THREAD];
    for (int step = 0; step < steps; ++step) {
        atomicAdd(&bins[value & 1], value);
        value = value * 1664525u + 1013904223u;
    }
    __syncthreads();
    if (threadIdx.x < 2) y[blockIdx.x * 2 + threadIdx.x] = bins[threadIdx.x];
}

// ---- pipes

template <typename T>
__device__ T multiply_adds(T seed, int steps) {
    T acc[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) acc[j] = seed + (T)j;
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[j] = acc[j] * (T)0.999 + seed;
    T sum = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += acc[j];
    return sum;
}

SPECIMEN specimen_fp32_multiply_add(float* y, int steps) { y[GLOBAL_THREAD] = multiply_adds<float>(threadIdx.x, steps); }

SPECIMEN specimen_fp64(double* y, int steps) { y[GLOBAL_THREAD] = multiply_adds<double>(threadIdx.x, steps); }

// Shifts to the right and logic: the integer pipe takes them and no other does.
SPECIMEN specimen_integer_logic(unsigned* y, int steps) {
    unsigned v[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) v[j] = threadIdx.x * 2654435761u + j;
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            v[j] = (v[j] >> 3) ^ (v[j] & 0x9e3779b9u);
            v[j] = __funnelshift_r(v[j], v[j], 7) | (v[j] & 0x0f0f0f0fu);
        }
    y[GLOBAL_THREAD] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

// Five pipes side by side, in each sixteen instructions eight multiply-adds, four of logic, and one each of exp2,
// shared memory and fp64: no pipe is full, the issue slots are.
SPECIMEN specimen_issue_slots(float* y, int steps) {
    __shared__ float tile[1024];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned place = shared_address(tile + threadIdx.x);
    float f[8], root = threadIdx.x;
    unsigned u[4];
    double d = threadIdx.x;
#pragma unroll
    for (int j = 0; j < 8; ++j) f[j] = threadIdx.x + j;
#pragma unroll
    for (int j = 0; j < 4; ++j) u[j] = threadIdx.x * 77u + j;
#pragma unroll 4
    for (int step = 0; step < steps; ++step) {
        float shared;
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(shared) : "r"(place));
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(root));
#pragma unroll
        for (int j = 0; j < 8; ++j) f[j] = fmaf(f[j], 0.999f, 1.0f);
#pragma unroll
        for (int j = 0; j < 4; ++j) u[j] = (u[j] & u[(j + 1) & 3]) ^ 0x5bd1e995u;
        d = fma(d, 0.999, 1.0);
        u[0] ^= __float_as_uint(shared);
    }
    float sum = root + (float)d + (u[0] ^ u[1] ^ u[2] ^ u[3]);
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += f[j];
    y[GLOBAL_THREAD] = sum;
}

// One multiply-add waits for the one before it; two of a block's 32 warps do the work, the others are done.
SPECIMEN specimen_dependency_chain(float* y, int steps) {
    if (threadIdx.x >= 64) return;
    float sum = threadIdx.x;
#pragma unroll 16
    for (int step = 0; step < steps; ++step) sum = fmaf(sum, 0.999f, 1.0f);
    y[blockIdx.x * 64 + threadIdx.x] = sum;
}

// ---- control flow, registers, barriers, atomics

// One lane of eight goes round 128 times as often as its neighbours.
SPECIMEN specimen_divergence(const int* rounds, float* y) {
    float sum = threadIdx.x;
    for (int left = rounds[GLOBAL_THREAD]; left > 0; --left) sum = sqrtf(fmaf(sum, 0.999f, 1.0f)) + __fdividef(1.0f, sum + 2.0f);
    y[GLOBAL_THREAD] = sum;
}

// 64 live values where the launch bound leaves 32 registers.
SPECIMEN __launch_bounds__(1024, 2) specimen_spills(const float* x, float* y, int n, int steps) {
    float kept[64];
#pragma unroll
    for (int j = 0; j < 64; ++j) kept[j] = x[GLOBAL_THREAD + (long long)j * n];
    for (int step = 0; step < steps; ++step)
#pragma unroll
        for (int j = 0; j < 64; ++j) kept[j] = fmaf(kept[(j + 17) & 63], 0.5f, kept[j]);
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 64; ++j) sum += kept[j] * kept[(j + 31) & 63];
    y[GLOBAL_THREAD] = sum;
}

// One warp works between two barriers while 31 wait.
SPECIMEN specimen_barrier(float* y, int steps) {
    __shared__ float value;
    float sum = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x < 32) {
#pragma unroll 1
            for (int j = 0; j < 32; ++j) sum = fmaf(sum, 0.999f, 1.0f);
            if (threadIdx.x == 0) value = sum;
        }
        __syncthreads();
        sum += value;
        __syncthreads();
    }
    y[GLOBAL_THREAD] = sum;
}

// Every thread of the grid adds to the same word of global memory.
SPECIMEN specimen_global_atomics(const float* x, float* total) { atomicAdd(total, x[GLOBAL_THREAD]); }

// Eight pieces of straight-line code, 64 KB each; warps are in different ones.
template <int PIECE>
__device__ __noinline__ float piece(float v) {
#pragma unroll
    for (int j = 0; j < 4096; ++j) v = fmaf(v, 1.0f + (PIECE * 4096 + j) * 1e-7f, 0.5f);
    return v;
}

SPECIMEN specimen_straight_line_code(float* y, int steps) {
    float v = threadIdx.x;
    for (int step = 0; step < steps; ++step) switch ((threadIdx.x / 32 + blockIdx.x + step) & 7) {
        case 0: v = piece<0>(v); break;
        case 1: v = piece<1>(v); break;
        case 2: v = piece<2>(v); break;
        case 3: v = piece<3>(v); break;
        case 4: v = piece<4>(v); break;
        case 5: v = piece<5>(v); break;
        case 6: v = piece<6>(v); break;
        default: v = piece<7>(v);
    }
    y[GLOBAL_THREAD] = v;
}

// ---- the launch

// Equal blocks, each 2 an SM by its shared memory: one full wave and a few blocks more.
SPECIMEN specimen_tail(float* y, int steps) {
    extern __shared__ float held[];
    held[threadIdx.x] = threadIdx.x;
    __syncthreads();
    float sum = held[threadIdx.x ^ 1];
#pragma unroll 8
    for (int step = 0; step < steps; ++step) sum = fmaf(sum, 0.999f, 1.0f);
    y[GLOBAL_THREAD] = sum;
}

// One block in 16 has 64 times the work: ragged rows in one launch.
SPECIMEN specimen_ragged(float* y, int steps) {
    float sum = threadIdx.x;
    int mine = blockIdx.x % 16 ? steps : 64 * steps;
#pragma unroll 8
    for (int step = 0; step < mine; ++step) sum = fmaf(sum, 0.999f, 1.0f);
    y[GLOBAL_THREAD] = sum;
}
