// What lets one source be compiled by nvcc and, for tests of kernels without a GPU, by a host compiler.
#pragma once

#ifdef __CUDACC__
#define FORETRACE_HD __host__ __device__
#define FORETRACE_UNROLL _Pragma("unroll")
#else
#define FORETRACE_HD
#define FORETRACE_UNROLL
#endif
