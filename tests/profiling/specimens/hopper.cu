// Kernels of known cause, third part: what only compute capability 9.0 has.
#define SPECIMEN extern "C" __global__ void
#define GLOBAL_THREAD (blockIdx.x * (long long)blockDim.x + threadIdx.x)

// One small warp-group product after the other, each waited for before the next begins.
SPECIMEN specimen_wgmma_chain(float* y, int steps) {
    extern __shared__ __align__(1024) unsigned short held[];
    for (int at = threadIdx.x; at < 2048; at += blockDim.x) held[at] = 0;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    unsigned long long start = (unsigned)__cvta_generic_to_shared(held) >> 4;
    unsigned long long tile = start | (8ULL << 16) | (16ULL << 32);  // no swizzle, 8 x 16 byte core matrices
    float d[4] = {1, 2, 3, 4};
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        asm volatile("wgmma.fence.sync.aligned;");
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(tile));
        asm volatile("wgmma.commit_group.sync.aligned;");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]));
    }
    y[GLOBAL_THREAD] = d[0] + d[1] + d[2] + d[3];
}
