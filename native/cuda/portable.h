// What lets one source be compiled by nvcc and, for tests of kernels without a GPU, by a host compiler.
#pragma once

#ifdef __CUDACC__
#define FORETRACE_HD __host__ __device__
#define FORETRACE_UNROLL _Pragma("unroll")
#define FORETRACE_UNROLL_4 _Pragma("unroll 4")  // of a long loop: enough loads on their way, few addresses in registers
#else
#define FORETRACE_HD
#define FORETRACE_UNROLL
#define FORETRACE_UNROLL_4
#endif
