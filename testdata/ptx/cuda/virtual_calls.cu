// virtual_calls.cu -- objects made on the device and called through their virtual tables (.callprototype).

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual float grow(float by) = 0;
};

struct Circle : Shape {
    float r;
    __device__ Circle(float radius) : r(radius) {}
    __device__ float area() const override { return 3.14159265f * r * r; }
    __device__ float grow(float by) override { return r += by; }
};

struct Box : Shape {
    float w, h;
    __device__ Box(float width, float height) : w(width), h(height) {}
    __device__ float area() const override { return w * h; }
    __device__ float grow(float by) override
    {
        w += by;
        return h += by;
    }
};

extern "C" __global__ void make_shapes(int n, Shape **shapes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        shapes[i] = i & 1 ? (Shape *)new Circle(i) : (Shape *)new Box(i, 2 * i);
}

extern "C" __global__ void total_area(int n, Shape **shapes, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = shapes[i]->grow(1.0f) + shapes[i]->area();
}

extern "C" __global__ void free_shapes(int n, Shape **shapes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        delete shapes[i];
}
