extern "C" __global__ __launch_bounds__(256) void moments(const double *__restrict__ x, double *__restrict__ a, const double *__restrict__ y, double *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double s4 = 0;
        double s5 = 0;
        double s6 = 0;
        double s7 = 0;
        double s8 = 0;
        double s9 = 0;
        double s10 = 0;
        double s11 = 0;
        double s12 = 0;
        double s13 = 0;
        double t0 = 0;
        double t1 = 0;
        double t2 = 0;
        double t3 = 0;
        double t4 = 0;
        double t5 = 0;
        double t6 = 0;
        double t7 = 0;
        double t8 = 0;
        double t9 = 0;
        double t10 = 0;
        double t11 = 0;
        double t12 = 0;
        double t13 = 0;
        for (int k = 0; k < m; k++) {
            double sv = x[(size_t)k * n + i], sw = sv;
            s0 += sw; sw *= sv;
            s1 += sw; sw *= sv;
            s2 += sw; sw *= sv;
            s3 += sw; sw *= sv;
            s4 += sw; sw *= sv;
            s5 += sw; sw *= sv;
            s6 += sw; sw *= sv;
            s7 += sw; sw *= sv;
            s8 += sw; sw *= sv;
            s9 += sw; sw *= sv;
            s10 += sw; sw *= sv;
            s11 += sw; sw *= sv;
            s12 += sw; sw *= sv;
            s13 += sw; sw *= sv;
            double tv = y[(size_t)k * n + i], tw = tv;
            t0 += tw; tw *= tv;
            t1 += tw; tw *= tv;
            t2 += tw; tw *= tv;
            t3 += tw; tw *= tv;
            t4 += tw; tw *= tv;
            t5 += tw; tw *= tv;
            t6 += tw; tw *= tv;
            t7 += tw; tw *= tv;
            t8 += tw; tw *= tv;
            t9 += tw; tw *= tv;
            t10 += tw; tw *= tv;
            t11 += tw; tw *= tv;
            t12 += tw; tw *= tv;
            t13 += tw; tw *= tv;
        }
        a[(size_t)0 * n + i] = s0;
        a[(size_t)1 * n + i] = s1;
        a[(size_t)2 * n + i] = s2;
        a[(size_t)3 * n + i] = s3;
        a[(size_t)4 * n + i] = s4;
        a[(size_t)5 * n + i] = s5;
        a[(size_t)6 * n + i] = s6;
        a[(size_t)7 * n + i] = s7;
        a[(size_t)8 * n + i] = s8;
        a[(size_t)9 * n + i] = s9;
        a[(size_t)10 * n + i] = s10;
        a[(size_t)11 * n + i] = s11;
        a[(size_t)12 * n + i] = s12;
        a[(size_t)13 * n + i] = s13;
        b[(size_t)0 * n + i] = t0;
        b[(size_t)1 * n + i] = t1;
        b[(size_t)2 * n + i] = t2;
        b[(size_t)3 * n + i] = t3;
        b[(size_t)4 * n + i] = t4;
        b[(size_t)5 * n + i] = t5;
        b[(size_t)6 * n + i] = t6;
        b[(size_t)7 * n + i] = t7;
        b[(size_t)8 * n + i] = t8;
        b[(size_t)9 * n + i] = t9;
        b[(size_t)10 * n + i] = t10;
        b[(size_t)11 * n + i] = t11;
        b[(size_t)12 * n + i] = t12;
        b[(size_t)13 * n + i] = t13;
    }
}

extern "C" __global__ __launch_bounds__(256) void moments3(const double *__restrict__ x, double *__restrict__ a, const double *__restrict__ y, double *__restrict__ b, const double *__restrict__ z, double *__restrict__ c, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double s4 = 0;
        double s5 = 0;
        double s6 = 0;
        double s7 = 0;
        double t0 = 0;
        double t1 = 0;
        double t2 = 0;
        double t3 = 0;
        double t4 = 0;
        double t5 = 0;
        double t6 = 0;
        double t7 = 0;
        double u0 = 0;
        double u1 = 0;
        double u2 = 0;
        double u3 = 0;
        double u4 = 0;
        double u5 = 0;
        double u6 = 0;
        double u7 = 0;
        for (int k = 0; k < m; k++) {
            double sv = x[(size_t)k * n + i], sw = sv;
            s0 += sw; sw *= sv;
            s1 += sw; sw *= sv;
            s2 += sw; sw *= sv;
            s3 += sw; sw *= sv;
            s4 += sw; sw *= sv;
            s5 += sw; sw *= sv;
            s6 += sw; sw *= sv;
            s7 += sw; sw *= sv;
            double tv = y[(size_t)k * n + i], tw = tv;
            t0 += tw; tw *= tv;
            t1 += tw; tw *= tv;
            t2 += tw; tw *= tv;
            t3 += tw; tw *= tv;
            t4 += tw; tw *= tv;
            t5 += tw; tw *= tv;
            t6 += tw; tw *= tv;
            t7 += tw; tw *= tv;
            double uv = z[(size_t)k * n + i], uw = uv;
            u0 += uw; uw *= uv;
            u1 += uw; uw *= uv;
            u2 += uw; uw *= uv;
            u3 += uw; uw *= uv;
            u4 += uw; uw *= uv;
            u5 += uw; uw *= uv;
            u6 += uw; uw *= uv;
            u7 += uw; uw *= uv;
        }
        a[(size_t)0 * n + i] = s0;
        a[(size_t)1 * n + i] = s1;
        a[(size_t)2 * n + i] = s2;
        a[(size_t)3 * n + i] = s3;
        a[(size_t)4 * n + i] = s4;
        a[(size_t)5 * n + i] = s5;
        a[(size_t)6 * n + i] = s6;
        a[(size_t)7 * n + i] = s7;
        b[(size_t)0 * n + i] = t0;
        b[(size_t)1 * n + i] = t1;
        b[(size_t)2 * n + i] = t2;
        b[(size_t)3 * n + i] = t3;
        b[(size_t)4 * n + i] = t4;
        b[(size_t)5 * n + i] = t5;
        b[(size_t)6 * n + i] = t6;
        b[(size_t)7 * n + i] = t7;
        c[(size_t)0 * n + i] = u0;
        c[(size_t)1 * n + i] = u1;
        c[(size_t)2 * n + i] = u2;
        c[(size_t)3 * n + i] = u3;
        c[(size_t)4 * n + i] = u4;
        c[(size_t)5 * n + i] = u5;
        c[(size_t)6 * n + i] = u6;
        c[(size_t)7 * n + i] = u7;
    }
}

extern "C" __global__ __launch_bounds__(256) void uneven(const double *__restrict__ x, double *__restrict__ a, const double *__restrict__ y, double *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double s4 = 0;
        double s5 = 0;
        double s6 = 0;
        double s7 = 0;
        double s8 = 0;
        double s9 = 0;
        double s10 = 0;
        double s11 = 0;
        double s12 = 0;
        double s13 = 0;
        double s14 = 0;
        double s15 = 0;
        double s16 = 0;
        double s17 = 0;
        double s18 = 0;
        double s19 = 0;
        double t0 = 0;
        double t1 = 0;
        double t2 = 0;
        double t3 = 0;
        double t4 = 0;
        double t5 = 0;
        for (int k = 0; k < m; k++) {
            double sv = x[(size_t)k * n + i], sw = sv;
            s0 += sw; sw *= sv;
            s1 += sw; sw *= sv;
            s2 += sw; sw *= sv;
            s3 += sw; sw *= sv;
            s4 += sw; sw *= sv;
            s5 += sw; sw *= sv;
            s6 += sw; sw *= sv;
            s7 += sw; sw *= sv;
            s8 += sw; sw *= sv;
            s9 += sw; sw *= sv;
            s10 += sw; sw *= sv;
            s11 += sw; sw *= sv;
            s12 += sw; sw *= sv;
            s13 += sw; sw *= sv;
            s14 += sw; sw *= sv;
            s15 += sw; sw *= sv;
            s16 += sw; sw *= sv;
            s17 += sw; sw *= sv;
            s18 += sw; sw *= sv;
            s19 += sw; sw *= sv;
            double tv = y[(size_t)k * n + i], tw = tv;
            t0 += tw; tw *= tv;
            t1 += tw; tw *= tv;
            t2 += tw; tw *= tv;
            t3 += tw; tw *= tv;
            t4 += tw; tw *= tv;
            t5 += tw; tw *= tv;
        }
        a[(size_t)0 * n + i] = s0;
        a[(size_t)1 * n + i] = s1;
        a[(size_t)2 * n + i] = s2;
        a[(size_t)3 * n + i] = s3;
        a[(size_t)4 * n + i] = s4;
        a[(size_t)5 * n + i] = s5;
        a[(size_t)6 * n + i] = s6;
        a[(size_t)7 * n + i] = s7;
        a[(size_t)8 * n + i] = s8;
        a[(size_t)9 * n + i] = s9;
        a[(size_t)10 * n + i] = s10;
        a[(size_t)11 * n + i] = s11;
        a[(size_t)12 * n + i] = s12;
        a[(size_t)13 * n + i] = s13;
        a[(size_t)14 * n + i] = s14;
        a[(size_t)15 * n + i] = s15;
        a[(size_t)16 * n + i] = s16;
        a[(size_t)17 * n + i] = s17;
        a[(size_t)18 * n + i] = s18;
        a[(size_t)19 * n + i] = s19;
        b[(size_t)0 * n + i] = t0;
        b[(size_t)1 * n + i] = t1;
        b[(size_t)2 * n + i] = t2;
        b[(size_t)3 * n + i] = t3;
        b[(size_t)4 * n + i] = t4;
        b[(size_t)5 * n + i] = t5;
    }
}

extern "C" __global__ __launch_bounds__(512) void floats(const float *__restrict__ x, float *__restrict__ a, const float *__restrict__ y, float *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        float s8 = 0;
        float s9 = 0;
        float s10 = 0;
        float s11 = 0;
        float s12 = 0;
        float s13 = 0;
        float s14 = 0;
        float s15 = 0;
        float s16 = 0;
        float s17 = 0;
        float s18 = 0;
        float s19 = 0;
        float s20 = 0;
        float s21 = 0;
        float s22 = 0;
        float s23 = 0;
        float t0 = 0;
        float t1 = 0;
        float t2 = 0;
        float t3 = 0;
        float t4 = 0;
        float t5 = 0;
        float t6 = 0;
        float t7 = 0;
        float t8 = 0;
        float t9 = 0;
        float t10 = 0;
        float t11 = 0;
        float t12 = 0;
        float t13 = 0;
        float t14 = 0;
        float t15 = 0;
        float t16 = 0;
        float t17 = 0;
        float t18 = 0;
        float t19 = 0;
        float t20 = 0;
        float t21 = 0;
        float t22 = 0;
        float t23 = 0;
        for (int k = 0; k < m; k++) {
            float sv = x[(size_t)k * n + i], sw = sv;
            s0 += sw; sw *= sv;
            s1 += sw; sw *= sv;
            s2 += sw; sw *= sv;
            s3 += sw; sw *= sv;
            s4 += sw; sw *= sv;
            s5 += sw; sw *= sv;
            s6 += sw; sw *= sv;
            s7 += sw; sw *= sv;
            s8 += sw; sw *= sv;
            s9 += sw; sw *= sv;
            s10 += sw; sw *= sv;
            s11 += sw; sw *= sv;
            s12 += sw; sw *= sv;
            s13 += sw; sw *= sv;
            s14 += sw; sw *= sv;
            s15 += sw; sw *= sv;
            s16 += sw; sw *= sv;
            s17 += sw; sw *= sv;
            s18 += sw; sw *= sv;
            s19 += sw; sw *= sv;
            s20 += sw; sw *= sv;
            s21 += sw; sw *= sv;
            s22 += sw; sw *= sv;
            s23 += sw; sw *= sv;
            float tv = y[(size_t)k * n + i], tw = tv;
            t0 += tw; tw *= tv;
            t1 += tw; tw *= tv;
            t2 += tw; tw *= tv;
            t3 += tw; tw *= tv;
            t4 += tw; tw *= tv;
            t5 += tw; tw *= tv;
            t6 += tw; tw *= tv;
            t7 += tw; tw *= tv;
            t8 += tw; tw *= tv;
            t9 += tw; tw *= tv;
            t10 += tw; tw *= tv;
            t11 += tw; tw *= tv;
            t12 += tw; tw *= tv;
            t13 += tw; tw *= tv;
            t14 += tw; tw *= tv;
            t15 += tw; tw *= tv;
            t16 += tw; tw *= tv;
            t17 += tw; tw *= tv;
            t18 += tw; tw *= tv;
            t19 += tw; tw *= tv;
            t20 += tw; tw *= tv;
            t21 += tw; tw *= tv;
            t22 += tw; tw *= tv;
            t23 += tw; tw *= tv;
        }
        a[(size_t)0 * n + i] = s0;
        a[(size_t)1 * n + i] = s1;
        a[(size_t)2 * n + i] = s2;
        a[(size_t)3 * n + i] = s3;
        a[(size_t)4 * n + i] = s4;
        a[(size_t)5 * n + i] = s5;
        a[(size_t)6 * n + i] = s6;
        a[(size_t)7 * n + i] = s7;
        a[(size_t)8 * n + i] = s8;
        a[(size_t)9 * n + i] = s9;
        a[(size_t)10 * n + i] = s10;
        a[(size_t)11 * n + i] = s11;
        a[(size_t)12 * n + i] = s12;
        a[(size_t)13 * n + i] = s13;
        a[(size_t)14 * n + i] = s14;
        a[(size_t)15 * n + i] = s15;
        a[(size_t)16 * n + i] = s16;
        a[(size_t)17 * n + i] = s17;
        a[(size_t)18 * n + i] = s18;
        a[(size_t)19 * n + i] = s19;
        a[(size_t)20 * n + i] = s20;
        a[(size_t)21 * n + i] = s21;
        a[(size_t)22 * n + i] = s22;
        a[(size_t)23 * n + i] = s23;
        b[(size_t)0 * n + i] = t0;
        b[(size_t)1 * n + i] = t1;
        b[(size_t)2 * n + i] = t2;
        b[(size_t)3 * n + i] = t3;
        b[(size_t)4 * n + i] = t4;
        b[(size_t)5 * n + i] = t5;
        b[(size_t)6 * n + i] = t6;
        b[(size_t)7 * n + i] = t7;
        b[(size_t)8 * n + i] = t8;
        b[(size_t)9 * n + i] = t9;
        b[(size_t)10 * n + i] = t10;
        b[(size_t)11 * n + i] = t11;
        b[(size_t)12 * n + i] = t12;
        b[(size_t)13 * n + i] = t13;
        b[(size_t)14 * n + i] = t14;
        b[(size_t)15 * n + i] = t15;
        b[(size_t)16 * n + i] = t16;
        b[(size_t)17 * n + i] = t17;
        b[(size_t)18 * n + i] = t18;
        b[(size_t)19 * n + i] = t19;
        b[(size_t)20 * n + i] = t20;
        b[(size_t)21 * n + i] = t21;
        b[(size_t)22 * n + i] = t22;
        b[(size_t)23 * n + i] = t23;
    }
}

extern "C" __global__ __launch_bounds__(512) void spans(const float *__restrict__ x, float *__restrict__ a, const float *__restrict__ y, float *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        float sh0 = -1e30f, sl0 = 1e30f;
        float sh1 = -1e30f, sl1 = 1e30f;
        float sh2 = -1e30f, sl2 = 1e30f;
        float sh3 = -1e30f, sl3 = 1e30f;
        float sh4 = -1e30f, sl4 = 1e30f;
        float sh5 = -1e30f, sl5 = 1e30f;
        float sh6 = -1e30f, sl6 = 1e30f;
        float sh7 = -1e30f, sl7 = 1e30f;
        float sh8 = -1e30f, sl8 = 1e30f;
        float sh9 = -1e30f, sl9 = 1e30f;
        float sh10 = -1e30f, sl10 = 1e30f;
        float sh11 = -1e30f, sl11 = 1e30f;
        float th0 = -1e30f, tl0 = 1e30f;
        float th1 = -1e30f, tl1 = 1e30f;
        float th2 = -1e30f, tl2 = 1e30f;
        float th3 = -1e30f, tl3 = 1e30f;
        float th4 = -1e30f, tl4 = 1e30f;
        float th5 = -1e30f, tl5 = 1e30f;
        float th6 = -1e30f, tl6 = 1e30f;
        float th7 = -1e30f, tl7 = 1e30f;
        float th8 = -1e30f, tl8 = 1e30f;
        float th9 = -1e30f, tl9 = 1e30f;
        float th10 = -1e30f, tl10 = 1e30f;
        float th11 = -1e30f, tl11 = 1e30f;
        for (int k = 0; k < m; k++) {
            { float v = x[((size_t)k * 12 + 0) * n + i]; sh0 = fmaxf(sh0, v); sl0 = fminf(sl0, v); }
            { float v = x[((size_t)k * 12 + 1) * n + i]; sh1 = fmaxf(sh1, v); sl1 = fminf(sl1, v); }
            { float v = x[((size_t)k * 12 + 2) * n + i]; sh2 = fmaxf(sh2, v); sl2 = fminf(sl2, v); }
            { float v = x[((size_t)k * 12 + 3) * n + i]; sh3 = fmaxf(sh3, v); sl3 = fminf(sl3, v); }
            { float v = x[((size_t)k * 12 + 4) * n + i]; sh4 = fmaxf(sh4, v); sl4 = fminf(sl4, v); }
            { float v = x[((size_t)k * 12 + 5) * n + i]; sh5 = fmaxf(sh5, v); sl5 = fminf(sl5, v); }
            { float v = x[((size_t)k * 12 + 6) * n + i]; sh6 = fmaxf(sh6, v); sl6 = fminf(sl6, v); }
            { float v = x[((size_t)k * 12 + 7) * n + i]; sh7 = fmaxf(sh7, v); sl7 = fminf(sl7, v); }
            { float v = x[((size_t)k * 12 + 8) * n + i]; sh8 = fmaxf(sh8, v); sl8 = fminf(sl8, v); }
            { float v = x[((size_t)k * 12 + 9) * n + i]; sh9 = fmaxf(sh9, v); sl9 = fminf(sl9, v); }
            { float v = x[((size_t)k * 12 + 10) * n + i]; sh10 = fmaxf(sh10, v); sl10 = fminf(sl10, v); }
            { float v = x[((size_t)k * 12 + 11) * n + i]; sh11 = fmaxf(sh11, v); sl11 = fminf(sl11, v); }
            { float v = y[((size_t)k * 12 + 0) * n + i]; th0 = fmaxf(th0, v); tl0 = fminf(tl0, v); }
            { float v = y[((size_t)k * 12 + 1) * n + i]; th1 = fmaxf(th1, v); tl1 = fminf(tl1, v); }
            { float v = y[((size_t)k * 12 + 2) * n + i]; th2 = fmaxf(th2, v); tl2 = fminf(tl2, v); }
            { float v = y[((size_t)k * 12 + 3) * n + i]; th3 = fmaxf(th3, v); tl3 = fminf(tl3, v); }
            { float v = y[((size_t)k * 12 + 4) * n + i]; th4 = fmaxf(th4, v); tl4 = fminf(tl4, v); }
            { float v = y[((size_t)k * 12 + 5) * n + i]; th5 = fmaxf(th5, v); tl5 = fminf(tl5, v); }
            { float v = y[((size_t)k * 12 + 6) * n + i]; th6 = fmaxf(th6, v); tl6 = fminf(tl6, v); }
            { float v = y[((size_t)k * 12 + 7) * n + i]; th7 = fmaxf(th7, v); tl7 = fminf(tl7, v); }
            { float v = y[((size_t)k * 12 + 8) * n + i]; th8 = fmaxf(th8, v); tl8 = fminf(tl8, v); }
            { float v = y[((size_t)k * 12 + 9) * n + i]; th9 = fmaxf(th9, v); tl9 = fminf(tl9, v); }
            { float v = y[((size_t)k * 12 + 10) * n + i]; th10 = fmaxf(th10, v); tl10 = fminf(tl10, v); }
            { float v = y[((size_t)k * 12 + 11) * n + i]; th11 = fmaxf(th11, v); tl11 = fminf(tl11, v); }
        }
        a[(size_t)0 * n + i] = sh0 - sl0;
        a[(size_t)1 * n + i] = sh1 - sl1;
        a[(size_t)2 * n + i] = sh2 - sl2;
        a[(size_t)3 * n + i] = sh3 - sl3;
        a[(size_t)4 * n + i] = sh4 - sl4;
        a[(size_t)5 * n + i] = sh5 - sl5;
        a[(size_t)6 * n + i] = sh6 - sl6;
        a[(size_t)7 * n + i] = sh7 - sl7;
        a[(size_t)8 * n + i] = sh8 - sl8;
        a[(size_t)9 * n + i] = sh9 - sl9;
        a[(size_t)10 * n + i] = sh10 - sl10;
        a[(size_t)11 * n + i] = sh11 - sl11;
        b[(size_t)0 * n + i] = th0 - tl0;
        b[(size_t)1 * n + i] = th1 - tl1;
        b[(size_t)2 * n + i] = th2 - tl2;
        b[(size_t)3 * n + i] = th3 - tl3;
        b[(size_t)4 * n + i] = th4 - tl4;
        b[(size_t)5 * n + i] = th5 - tl5;
        b[(size_t)6 * n + i] = th6 - tl6;
        b[(size_t)7 * n + i] = th7 - tl7;
        b[(size_t)8 * n + i] = th8 - tl8;
        b[(size_t)9 * n + i] = th9 - tl9;
        b[(size_t)10 * n + i] = th10 - tl10;
        b[(size_t)11 * n + i] = th11 - tl11;
    }
}

extern "C" __global__ __launch_bounds__(256) void polynomials(const double *__restrict__ x, double *__restrict__ a, const double *__restrict__ cs, const double *__restrict__ y, double *__restrict__ b, const double *__restrict__ ct, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        double s0 = cs[(size_t)0 * n + i];
        double s1 = cs[(size_t)1 * n + i];
        double s2 = cs[(size_t)2 * n + i];
        double s3 = cs[(size_t)3 * n + i];
        double s4 = cs[(size_t)4 * n + i];
        double s5 = cs[(size_t)5 * n + i];
        double s6 = cs[(size_t)6 * n + i];
        double s7 = cs[(size_t)7 * n + i];
        double s8 = cs[(size_t)8 * n + i];
        double s9 = cs[(size_t)9 * n + i];
        double s10 = cs[(size_t)10 * n + i];
        double s11 = cs[(size_t)11 * n + i];
        double t0 = ct[(size_t)0 * n + i];
        double t1 = ct[(size_t)1 * n + i];
        double t2 = ct[(size_t)2 * n + i];
        double t3 = ct[(size_t)3 * n + i];
        double t4 = ct[(size_t)4 * n + i];
        double t5 = ct[(size_t)5 * n + i];
        double t6 = ct[(size_t)6 * n + i];
        double t7 = ct[(size_t)7 * n + i];
        double t8 = ct[(size_t)8 * n + i];
        double t9 = ct[(size_t)9 * n + i];
        double t10 = ct[(size_t)10 * n + i];
        double t11 = ct[(size_t)11 * n + i];
        for (int k = 0; k < m; k++) {
            double sv = x[(size_t)k * n + i], sr = 0;
            sr = sr * sv + s0;
            sr = sr * sv + s1;
            sr = sr * sv + s2;
            sr = sr * sv + s3;
            sr = sr * sv + s4;
            sr = sr * sv + s5;
            sr = sr * sv + s6;
            sr = sr * sv + s7;
            sr = sr * sv + s8;
            sr = sr * sv + s9;
            sr = sr * sv + s10;
            sr = sr * sv + s11;
            a[(size_t)k * n + i] = sr;
            double tv = y[(size_t)k * n + i], tr = 0;
            tr = tr * tv + t0;
            tr = tr * tv + t1;
            tr = tr * tv + t2;
            tr = tr * tv + t3;
            tr = tr * tv + t4;
            tr = tr * tv + t5;
            tr = tr * tv + t6;
            tr = tr * tv + t7;
            tr = tr * tv + t8;
            tr = tr * tv + t9;
            tr = tr * tv + t10;
            tr = tr * tv + t11;
            b[(size_t)k * n + i] = tr;
        }
    }
}

extern "C" __global__ __launch_bounds__(512) void filters(const float *__restrict__ x, float *__restrict__ a, const float *__restrict__ y, float *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        float s8 = 0;
        float s9 = 0;
        float s10 = 0;
        float s11 = 0;
        float s12 = 0;
        float s13 = 0;
        float s14 = 0;
        float s15 = 0;
        float s16 = 0;
        float s17 = 0;
        float s18 = 0;
        float s19 = 0;
        float t0 = 0;
        float t1 = 0;
        float t2 = 0;
        float t3 = 0;
        float t4 = 0;
        float t5 = 0;
        float t6 = 0;
        float t7 = 0;
        float t8 = 0;
        float t9 = 0;
        float t10 = 0;
        float t11 = 0;
        float t12 = 0;
        float t13 = 0;
        float t14 = 0;
        float t15 = 0;
        float t16 = 0;
        float t17 = 0;
        float t18 = 0;
        float t19 = 0;
        float t20 = 0;
        float t21 = 0;
        float t22 = 0;
        float t23 = 0;
        float t24 = 0;
        float t25 = 0;
        float t26 = 0;
        float t27 = 0;
        for (int k = 0; k < m; k++) {
            float sv = x[(size_t)k * n + i];
            s0 = s0 * sv + 0.5f;
            s1 = s1 * sv + 1.5f;
            s2 = s2 * sv + 2.5f;
            s3 = s3 * sv + 3.5f;
            s4 = s4 * sv + 4.5f;
            s5 = s5 * sv + 5.5f;
            s6 = s6 * sv + 6.5f;
            s7 = s7 * sv + 7.5f;
            s8 = s8 * sv + 8.5f;
            s9 = s9 * sv + 9.5f;
            s10 = s10 * sv + 10.5f;
            s11 = s11 * sv + 11.5f;
            s12 = s12 * sv + 12.5f;
            s13 = s13 * sv + 13.5f;
            s14 = s14 * sv + 14.5f;
            s15 = s15 * sv + 15.5f;
            s16 = s16 * sv + 16.5f;
            s17 = s17 * sv + 17.5f;
            s18 = s18 * sv + 18.5f;
            s19 = s19 * sv + 19.5f;
            float tv = y[(size_t)k * n + i];
            t0 = t0 * tv + 0.5f;
            t1 = t1 * tv + 1.5f;
            t2 = t2 * tv + 2.5f;
            t3 = t3 * tv + 3.5f;
            t4 = t4 * tv + 4.5f;
            t5 = t5 * tv + 5.5f;
            t6 = t6 * tv + 6.5f;
            t7 = t7 * tv + 7.5f;
            t8 = t8 * tv + 8.5f;
            t9 = t9 * tv + 9.5f;
            t10 = t10 * tv + 10.5f;
            t11 = t11 * tv + 11.5f;
            t12 = t12 * tv + 12.5f;
            t13 = t13 * tv + 13.5f;
            t14 = t14 * tv + 14.5f;
            t15 = t15 * tv + 15.5f;
            t16 = t16 * tv + 16.5f;
            t17 = t17 * tv + 17.5f;
            t18 = t18 * tv + 18.5f;
            t19 = t19 * tv + 19.5f;
            t20 = t20 * tv + 20.5f;
            t21 = t21 * tv + 21.5f;
            t22 = t22 * tv + 22.5f;
            t23 = t23 * tv + 23.5f;
            t24 = t24 * tv + 24.5f;
            t25 = t25 * tv + 25.5f;
            t26 = t26 * tv + 26.5f;
            t27 = t27 * tv + 27.5f;
        }
        a[(size_t)0 * n + i] = s0;
        a[(size_t)1 * n + i] = s1;
        a[(size_t)2 * n + i] = s2;
        a[(size_t)3 * n + i] = s3;
        a[(size_t)4 * n + i] = s4;
        a[(size_t)5 * n + i] = s5;
        a[(size_t)6 * n + i] = s6;
        a[(size_t)7 * n + i] = s7;
        a[(size_t)8 * n + i] = s8;
        a[(size_t)9 * n + i] = s9;
        a[(size_t)10 * n + i] = s10;
        a[(size_t)11 * n + i] = s11;
        a[(size_t)12 * n + i] = s12;
        a[(size_t)13 * n + i] = s13;
        a[(size_t)14 * n + i] = s14;
        a[(size_t)15 * n + i] = s15;
        a[(size_t)16 * n + i] = s16;
        a[(size_t)17 * n + i] = s17;
        a[(size_t)18 * n + i] = s18;
        a[(size_t)19 * n + i] = s19;
        b[(size_t)0 * n + i] = t0;
        b[(size_t)1 * n + i] = t1;
        b[(size_t)2 * n + i] = t2;
        b[(size_t)3 * n + i] = t3;
        b[(size_t)4 * n + i] = t4;
        b[(size_t)5 * n + i] = t5;
        b[(size_t)6 * n + i] = t6;
        b[(size_t)7 * n + i] = t7;
        b[(size_t)8 * n + i] = t8;
        b[(size_t)9 * n + i] = t9;
        b[(size_t)10 * n + i] = t10;
        b[(size_t)11 * n + i] = t11;
        b[(size_t)12 * n + i] = t12;
        b[(size_t)13 * n + i] = t13;
        b[(size_t)14 * n + i] = t14;
        b[(size_t)15 * n + i] = t15;
        b[(size_t)16 * n + i] = t16;
        b[(size_t)17 * n + i] = t17;
        b[(size_t)18 * n + i] = t18;
        b[(size_t)19 * n + i] = t19;
        b[(size_t)20 * n + i] = t20;
        b[(size_t)21 * n + i] = t21;
        b[(size_t)22 * n + i] = t22;
        b[(size_t)23 * n + i] = t23;
        b[(size_t)24 * n + i] = t24;
        b[(size_t)25 * n + i] = t25;
        b[(size_t)26 * n + i] = t26;
        b[(size_t)27 * n + i] = t27;
    }
}

extern "C" __global__ __launch_bounds__(512) void atomics(const float *__restrict__ x, float *__restrict__ a, const float *__restrict__ y, float *__restrict__ b, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        float s8 = 0;
        float s9 = 0;
        float s10 = 0;
        float s11 = 0;
        float s12 = 0;
        float s13 = 0;
        float s14 = 0;
        float s15 = 0;
        float s16 = 0;
        float s17 = 0;
        float s18 = 0;
        float s19 = 0;
        float s20 = 0;
        float s21 = 0;
        float t0 = 0;
        float t1 = 0;
        float t2 = 0;
        float t3 = 0;
        float t4 = 0;
        float t5 = 0;
        float t6 = 0;
        float t7 = 0;
        float t8 = 0;
        float t9 = 0;
        float t10 = 0;
        float t11 = 0;
        float t12 = 0;
        float t13 = 0;
        float t14 = 0;
        float t15 = 0;
        float t16 = 0;
        float t17 = 0;
        float t18 = 0;
        float t19 = 0;
        float t20 = 0;
        float t21 = 0;
        for (int k = 0; k < m; k++) {
            float sv = x[(size_t)k * n + i], sw = sv;
            s0 += sw; sw *= sv;
            s1 += sw; sw *= sv;
            s2 += sw; sw *= sv;
            s3 += sw; sw *= sv;
            s4 += sw; sw *= sv;
            s5 += sw; sw *= sv;
            s6 += sw; sw *= sv;
            s7 += sw; sw *= sv;
            s8 += sw; sw *= sv;
            s9 += sw; sw *= sv;
            s10 += sw; sw *= sv;
            s11 += sw; sw *= sv;
            s12 += sw; sw *= sv;
            s13 += sw; sw *= sv;
            s14 += sw; sw *= sv;
            s15 += sw; sw *= sv;
            s16 += sw; sw *= sv;
            s17 += sw; sw *= sv;
            s18 += sw; sw *= sv;
            s19 += sw; sw *= sv;
            s20 += sw; sw *= sv;
            s21 += sw; sw *= sv;
            float tv = y[(size_t)k * n + i], tw = tv;
            t0 += tw; tw *= tv;
            t1 += tw; tw *= tv;
            t2 += tw; tw *= tv;
            t3 += tw; tw *= tv;
            t4 += tw; tw *= tv;
            t5 += tw; tw *= tv;
            t6 += tw; tw *= tv;
            t7 += tw; tw *= tv;
            t8 += tw; tw *= tv;
            t9 += tw; tw *= tv;
            t10 += tw; tw *= tv;
            t11 += tw; tw *= tv;
            t12 += tw; tw *= tv;
            t13 += tw; tw *= tv;
            t14 += tw; tw *= tv;
            t15 += tw; tw *= tv;
            t16 += tw; tw *= tv;
            t17 += tw; tw *= tv;
            t18 += tw; tw *= tv;
            t19 += tw; tw *= tv;
            t20 += tw; tw *= tv;
            t21 += tw; tw *= tv;
        }
        atomicAdd(&a[0], s0);
        atomicAdd(&a[1], s1);
        atomicAdd(&a[2], s2);
        atomicAdd(&a[3], s3);
        atomicAdd(&a[4], s4);
        atomicAdd(&a[5], s5);
        atomicAdd(&a[6], s6);
        atomicAdd(&a[7], s7);
        atomicAdd(&a[8], s8);
        atomicAdd(&a[9], s9);
        atomicAdd(&a[10], s10);
        atomicAdd(&a[11], s11);
        atomicAdd(&a[12], s12);
        atomicAdd(&a[13], s13);
        atomicAdd(&a[14], s14);
        atomicAdd(&a[15], s15);
        atomicAdd(&a[16], s16);
        atomicAdd(&a[17], s17);
        atomicAdd(&a[18], s18);
        atomicAdd(&a[19], s19);
        atomicAdd(&a[20], s20);
        atomicAdd(&a[21], s21);
        atomicAdd(&b[0], t0);
        atomicAdd(&b[1], t1);
        atomicAdd(&b[2], t2);
        atomicAdd(&b[3], t3);
        atomicAdd(&b[4], t4);
        atomicAdd(&b[5], t5);
        atomicAdd(&b[6], t6);
        atomicAdd(&b[7], t7);
        atomicAdd(&b[8], t8);
        atomicAdd(&b[9], t9);
        atomicAdd(&b[10], t10);
        atomicAdd(&b[11], t11);
        atomicAdd(&b[12], t12);
        atomicAdd(&b[13], t13);
        atomicAdd(&b[14], t14);
        atomicAdd(&b[15], t15);
        atomicAdd(&b[16], t16);
        atomicAdd(&b[17], t17);
        atomicAdd(&b[18], t18);
        atomicAdd(&b[19], t19);
        atomicAdd(&b[20], t20);
        atomicAdd(&b[21], t21);
    }
}
