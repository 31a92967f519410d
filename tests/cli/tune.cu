// Kernels whose blocks may be chosen, and kernels whose code has its block in it. nvcc 13.0 -ptx -arch=sm_90 made tune.ptx.
#define K extern "C" __global__ void
K saxpy(float*y,const float*x,float a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]+=a*x[i];}
K saxpyc(float*y,const float*x,float a,int n){int i=blockIdx.x*256+threadIdx.x; if(i<n) y[i]+=a*x[i];}
K gstride(float*y,const float*x,float a,int n){for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=gridDim.x*blockDim.x) y[i]+=a*x[i];}
K gsum(float*y,const float*x,int n){float s=0;for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=gridDim.x*blockDim.x) s+=x[i]; atomicAdd(y,s);}
K two(float*y,const float*x,int n){int i=blockIdx.x*blockDim.x*2+threadIdx.x; y[i]=x[i]; y[i+blockDim.x]=x[i+blockDim.x];}
K masked(float*y,const float*x,int n){int t=threadIdx.x; int i=blockIdx.x*blockDim.x+t; if (t<128) y[i]=x[i];}
K mask2(float*y,const float*x,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; y[i&~255|((i*7)&255)]=x[i];}
K maskt(float*y,const float*x,int n){int i=blockIdx.x*blockDim.x+(threadIdx.x&127); y[i]=x[i];}
K warprow(float*y,const float*x,int n){int g=blockIdx.x*blockDim.x+threadIdx.x; int row=g>>5,l=threadIdx.x&31; float s=0; for(int i=l;i<n;i+=32) s+=x[row*n+i]; for(int d=16;d;d>>=1) s+=__shfl_xor_sync(~0u,s,d); if(!l) y[row]=s;}
K blockrow(float*y,const float*x,int n){for(int i=threadIdx.x;i<n;i+=blockDim.x) y[blockIdx.x*n+i]=x[blockIdx.x*n+i];}
K stencil(float*y,const float*x,int w,int h){int i=blockIdx.x*blockDim.x+threadIdx.x,j=blockIdx.y*blockDim.y+threadIdx.y; if(i>0&&j>0&&i<w-1&&j<h-1) y[j*w+i]=x[j*w+i-1]+x[j*w+i+1]+x[(j-1)*w+i]+x[(j+1)*w+i];}
K rowx(float*y,const float*x,int w){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<w) y[blockIdx.y*w+i]=2*x[blockIdx.y*w+i];}
K tile(float*y,const float*x,int w){__shared__ float s[32][33]; int i=blockIdx.x*32+threadIdx.x,j=blockIdx.y*32+threadIdx.y; for(int k=0;k<32;k+=8) s[threadIdx.y+k][threadIdx.x]=x[(j+k)*w+i]; __syncthreads(); i=blockIdx.y*32+threadIdx.x;j=blockIdx.x*32+threadIdx.y; for(int k=0;k<32;k+=8) y[(j+k)*w+i]=s[threadIdx.x][threadIdx.y+k];}
K tilereg(float*y,const float*x,int w){int i=blockIdx.x*32+threadIdx.x,j=blockIdx.y*32+threadIdx.y; for(int k=0;k<32;k+=8) y[(j+k)*w+i]=x[(j+k)*w+i];}
K __launch_bounds__(256) lb(float*y,const float*x,float a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]+=a*x[i];}
K __block_size__((256,1,1)) rq(float*y,const float*x,float a,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]+=a*x[i];}
K lin2(float*y,const float*x,int w){int i=(blockIdx.y*gridDim.x+blockIdx.x)*blockDim.x+threadIdx.x; y[i]=x[i];}
K block_sum(const int *in, int *out) { __shared__ int part[256]; int t = threadIdx.x; part[t] = in[blockIdx.x * blockDim.x + t]; for (int s = 128; s; s >>= 1) { __syncthreads(); if (t < s) part[t] += part[t + s]; } if (!t) out[blockIdx.x] = part[0]; }
