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

// Two products of a tile under way, then a wait for both, in one warp group an SM.
SPECIMEN specimen_wgmma_groups(float* y, int steps) {
    extern __shared__ __align__(1024) unsigned short held[];
    for (int at = threadIdx.x; at < 8192; at += blockDim.x) held[at] = 0;
    asm volatile("fence.proxy.async.shared::cta;");
    __syncthreads();
    unsigned long long start = (unsigned)__cvta_generic_to_shared(held) >> 4;
    unsigned long long tile = start | (8ULL << 16) | (16ULL << 32);
    float d[32];
#pragma unroll
    for (int j = 0; j < 32; ++j) d[j] = j;
#define ALL8(at) "+f"(d[at]), "+f"(d[at + 1]), "+f"(d[at + 2]), "+f"(d[at + 3]), "+f"(d[at + 4]), "+f"(d[at + 5]), "+f"(d[at + 6]), "+f"(d[at + 7])
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        asm volatile("wgmma.fence.sync.aligned;");
#pragma unroll
        for (int k = 0; k < 2; ++k)
            asm volatile(
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
                "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %32, 1, 1, 1, 0, 0;"
                : ALL8(0), ALL8(8), ALL8(16), ALL8(24) : "l"(tile));
        asm volatile("wgmma.commit_group.sync.aligned;");
        asm volatile("wgmma.wait_group.sync.aligned 0;" : ALL8(0), ALL8(8), ALL8(16), ALL8(24));
    }
#undef ALL8
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 32; ++j) sum += d[j];
    y[GLOBAL_THREAD] = sum;
}

// One stage: a bulk copy of 4 KB is asked for, waited for and added up before the next one is asked for.
SPECIMEN specimen_bulk_one_stage(const float4* x, float* y, int steps) {
    extern __shared__ __align__(128) float4 tile[];
    __shared__ __align__(8) unsigned long long arrived;
    unsigned barrier = (unsigned)__cvta_generic_to_shared(&arrived), place = (unsigned)__cvta_generic_to_shared(tile);
    const unsigned bytes = 4096;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.mbarrier_init.release.cluster;");
    }
    __syncthreads();
    float sum = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0) {
            const float4* from = x + ((long long)step * gridDim.x + blockIdx.x) * (bytes / 16);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place), "l"(from),
                "r"(bytes), "r"(barrier) : "memory");
        }
        unsigned done = 0;
        while (!done)
            asm volatile(
                "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                : "=r"(done) : "r"(barrier), "r"(step & 1) : "memory");
#pragma unroll
        for (int j = 0; j < 2; ++j) {
            float4 v = tile[threadIdx.x + j * 128];
            sum += v.x + v.y + v.z + v.w;
        }
        __syncthreads();
    }
    y[GLOBAL_THREAD] = sum;
}
