// Kernels whose threads take different times, over block shapes: sp_ to improve the model on, sq_ held out.
#define K extern "C" __global__ void
#define X (blockIdx.x * blockDim.x + threadIdx.x)
#define Y (blockIdx.y * blockDim.y + threadIdx.y)
#define T threadIdx.x
// sweep sp_march work=1024,1024,1 blocks=plane params=[null,1024,128]
K sp_march(float *o, int w, int n) { int x = X, y = Y; float dx = (x - w * 0.5f) / w, dy = (y - w * 0.5f) / w, s = rsqrtf(dx * dx + dy * dy + 1), z = -3, px = 0, py = 0, t = 0; dx *= s; dy *= s; for (int i = 0; i < n; i++) { float qx = px - rintf(px), qz = z - rintf(z), d = fminf(sqrtf(qx * qx + py * py + qz * qz) - 0.25f, py + 1); if (d < 1e-3f || t > 20) break; px += dx * d; py += dy * d; z += s * d; t += d; } o[y * w + x] = t; }
// sweep sp_triangle work=262144,1,1 blocks=line params=[null,null,1024]
K sp_triangle(float *o, const float *a, int k) { int i = X; float s = 0; for (int j = 0; j < i / k; j++) s = s * 0.99f + a[j]; o[i] = s; }
// sweep sp_powers work=524288,1,1 blocks=line params=[null,1000003]
K sp_powers(unsigned *o, unsigned m) { unsigned long long b = 3, r = 1; for (unsigned e = X; e; e >>= 1) { if (e & 1) r = r * b % m; b = b * b % m; } o[X] = (unsigned)r; }
// sweep sq_phoenix work=1536,1536,1 blocks=plane params=[null,1536,300]
K sq_phoenix(int *o, int w, int m) { int x = X, y = Y, n = 0; float a = y * 2.6f / w - 1.3f, b = x * 2.6f / w - 1.3f, p = 0, q = 0; while (n < m && a * a + b * b < 16) { float t = a * a - b * b + 0.5667f - 0.5f * p, u = 2 * a * b - 0.5f * q; p = a; q = b; a = t; b = u; n++; } o[y * w + x] = n; }
// sweep sq_discs work=2048,1024,1 blocks=plane params=[null,2048,64]
K sq_discs(float *o, int w, int n) { int x = X, y = Y; float s = 0; for (int i = 0; i < n; i++) { int cx = (i * 797) & 2047, cy = (i * 523) & 1023, r = 40 + (i * 37 & 127), d = (x - cx) * (x - cx) + (y - cy) * (y - cy); if (d < r * r) for (int k = 0; k < 24; k++) s = s * 0.9f + __sinf(d * 0.01f + k); } o[y * w + x] = s; }
// sweep sq_primes work=131072,1,1 blocks=line params=[null]
K sq_primes(int *o) { int n = 2 * X + 3, d = 3; while (d * d <= n && n % d) d += 2; o[X] = d * d > n; }
