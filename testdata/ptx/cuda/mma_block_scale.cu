// mma_block_scale.cu -- mma with block scaling of 8-bit and 4-bit floats (sm_120a only).

extern "C" __global__ __launch_bounds__(32) void mma_mxf8(const uint4 *__restrict__ a, const uint2 *__restrict__ b,
                                                          const unsigned *__restrict__ scale, float4 *__restrict__ c)
{
    int lane = threadIdx.x;
    uint4 fa = a[lane];
    uint2 fb = b[lane];
    float d0 = 0.0f, d1 = 0.0f, d2 = 0.0f, d3 = 0.0f;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "r"(fa.x), "r"(fa.y), "r"(fa.z), "r"(fa.w), "r"(fb.x), "r"(fb.y), "r"(scale[lane]),
                   "r"(scale[lane + 32]));
    c[lane] = make_float4(d0, d1, d2, d3);
}

extern "C" __global__ __launch_bounds__(32) void mma_nvf4(const uint4 *__restrict__ a, const uint2 *__restrict__ b,
                                                          const unsigned *__restrict__ scale, float4 *__restrict__ c)
{
    int lane = threadIdx.x;
    uint4 fa = a[lane];
    uint2 fb = b[lane];
    float d0 = 0.0f, d1 = 0.0f, d2 = 0.0f, d3 = 0.0f;
    asm volatile("mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, {0, 0}, {%11}, {0, 0};"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                 : "r"(fa.x), "r"(fa.y), "r"(fa.z), "r"(fa.w), "r"(fb.x), "r"(fb.y), "r"(scale[lane]),
                   "r"(scale[lane + 32]));
    c[lane] = make_float4(d0, d1, d2, d3);
}
