// textures.cu -- texture and surface objects: tex1Dfetch, tex2D, tex2DLod, tex3D, layered, gather, surface loads
// and stores with each boundary mode.

extern "C" __global__ void sample_2d(cudaTextureObject_t tex, int w, int h, float angle, float4 *__restrict__ out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float u = x / (float)w - 0.5f, v = y / (float)h - 0.5f;
    float s, c;
    __sincosf(angle, &s, &c);
    out[y * w + x] = tex2D<float4>(tex, u * c - v * s + 0.5f, u * s + v * c + 0.5f);
}

extern "C" __global__ void sample_many(cudaTextureObject_t linear, cudaTextureObject_t mip, cudaTextureObject_t volume,
                                       cudaTextureObject_t layers, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float t = i * 0.001f;
    float4 g = tex2Dgather<float4>(mip, t, t, 1);
    out[i] = tex1Dfetch<float>(linear, i) + tex2DLod<float>(mip, t, t, 1.0f) + tex3D<float>(volume, t, t, t) +
             tex2DLayered<float>(layers, t, t, 3) + g.x + g.w;
}

extern "C" __global__ void invert_surface(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    uchar4 v = surf2Dread<uchar4>(in, x * 4, y, cudaBoundaryModeClamp);
    v.x = 255 - v.x;
    v.y = 255 - v.y;
    v.z = 255 - v.z;
    surf2Dwrite(v, out, x * 4, y, cudaBoundaryModeZero);
    surf2Dwrite(make_uchar4(v.z, v.y, v.x, v.w), out, x * 4, y + h, cudaBoundaryModeTrap);
}
