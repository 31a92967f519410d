/* Loops whose counts follow from their parameters, for tests/unit/test_forward.c. loops.ptx: nvcc 13.0 -ptx -arch=sm_90 */
typedef long long ll;
#define U1 _Pragma("unroll 1")
extern "C" __global__ void fmaloop(float*o,float x,unsigned n){float s=x; U1 for(unsigned k=0;k<n;k++) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void scan(float*o,const float*a,int n){int t=blockIdx.x*blockDim.x+threadIdx.x; int st=gridDim.x*blockDim.x; float s=0; U1 for(int i=t;i<n;i+=st) s+=a[i]; o[t]=s;}
extern "C" __global__ void rows(float*o,const float*a,int n){ll t=blockIdx.x*blockDim.x+threadIdx.x; float s=0; U1 for(int i=0;i<n;i++) s+=a[t*n+i]; o[t]=s;}
extern "C" __global__ void strided(float*o,const float*a,int n,int st){ll t=blockIdx.x*blockDim.x+threadIdx.x; float s=0; U1 for(int i=0;i<n;i++) s+=a[t+(ll)i*st]; o[t]=s;}
extern "C" __global__ void nest(float*o,float x,int n,int m){float s=x; U1 for(int i=0;i<n;i++){ U1 for(int j=0;j<m;j++) s=fmaf(s,x,x); s+=1;} o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void rare(float*o,float x,int n,int q){float s=x; U1 for(int i=0;i<n;i++){ s=fmaf(s,x,x); if(i%64==0) {s=s*s; o[i]=s;} } o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void rare1000(float*o,float x,int n,int q){float s=x; U1 for(int i=0;i<n;i++){ s=fmaf(s,x,x); if(i%1000==0) {s=s*s; o[i]=s;} } o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void tri(float*o,float x,int q){int n=blockIdx.x*q; float s=x; U1 for(int i=0;i<n;i++) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void b0(float*o,float x,int q){int n=blockIdx.x==0?q:10; float s=x; U1 for(int i=0;i<n;i++) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void perthread(float*o,float x,int q){int n=threadIdx.x*q; float s=x; U1 for(int i=0;i<n;i++) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void logt(float*o,float x,unsigned n){float s=x; U1 for(unsigned i=n;i;i>>=1) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void two(float*o,const float*a,int n){int t=blockIdx.x*blockDim.x+threadIdx.x; int st=gridDim.x*blockDim.x; float s=0; U1 for(int i=t;i<n;i+=st) s+=a[i]; U1 for(int i=t;i<n;i+=st) s*=a[i]; o[t]=s;}
extern "C" __global__ void tile(float*o,const float*a,int n){__shared__ float t[256]; int x=threadIdx.x; float s=0; U1 for(int i=0;i<n;i+=256){ t[x]=a[i+x]; __syncthreads(); U1 for(int k=0;k<256;k++) s+=t[k]; __syncthreads(); } o[blockIdx.x*256+x]=s;}
extern "C" __global__ void dataend(float*o,const int*a){int i=blockIdx.x*blockDim.x+threadIdx.x; float s=0; while(a[i]!=0){ i=a[i]; s+=1;} o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void gather(float*o,const float*a,const int*ix,int n){int t=blockIdx.x*blockDim.x+threadIdx.x; float s=0; U1 for(int i=0;i<n;i++) s+=a[ix[t+i*1024]]; o[t]=s;}
extern "C" __global__ void lcg(float*o,const float*a,int n){unsigned t=blockIdx.x*blockDim.x+threadIdx.x; float s=0; unsigned h=t; U1 for(int i=0;i<n;i++){ h=h*1664525u+1013904223u; s+=a[h&0xffff];} o[t]=s;}
extern "C" __global__ void trinest(float*o,float x,int n){float s=x; U1 for(int i=0;i<n;i++){ U1 for(int j=0;j<i;j++) s=fmaf(s,x,x);} o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void pp(float*o,const float*a,int n){__shared__ float t[2][256]; int x=threadIdx.x; int b=0; float s=0; U1 for(int i=0;i<n;i++){ t[b][x]=a[i*256+x]; __syncthreads(); s+=t[b][255-x]; b^=1; } o[blockIdx.x*256+x]=s;}
extern "C" __global__ void three(float*o,float x,int n){float s=x; U1 for(int i=0;i<n;i++){ U1 for(int j=0;j<n;j++){ U1 for(int k=0;k<n;k++) s=fmaf(s,x,x); s+=1;} s*=2;} o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void flt(float*o,float x,float n){float s=x; U1 for(float i=0;i<n;i+=1.0f) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void smemrd(float*o,const float*a,int n){__shared__ float t[256]; int x=threadIdx.x; t[x]=a[x]; __syncthreads(); float s=0; U1 for(int i=0;i<n;i++) s+=t[(x+i)&255]; o[x]=s;}
extern "C" __global__ void ll64(float*o,float x,ll n){float s=x; U1 for(ll i=0;i<n;i++) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
extern "C" __global__ void mulit(float*o,float x,ll n){float s=x; U1 for(ll i=1;i<n;i*=3) s=fmaf(s,x,x); o[blockIdx.x*blockDim.x+threadIdx.x]=s;}
