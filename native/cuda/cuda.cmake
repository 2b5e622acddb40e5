# The CUDA engine: its plain C++ is always part of the core (and tested everywhere), its kernels where nvcc is found.
# They are an object library, so that what links the core needs neither the language nor a shared runtime: an addon with
# CUDA in it loads and runs on a machine without a GPU.
set(FORETRACE_CUDA AUTO CACHE STRING "CUDA kernels: ON, OFF, or AUTO for where nvcc is found")
set(FORETRACE_CUDA_TARGETS "80;90a" CACHE STRING "Compute capabilities to compile for")

set(foretrace_has_cuda OFF)
if(FORETRACE_CUDA STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(foretrace_has_cuda ON)
  endif()
elseif(FORETRACE_CUDA)
  set(foretrace_has_cuda ON)
endif()

set(foretrace_cuda_folder ${CMAKE_CURRENT_LIST_DIR})
target_sources(foretrace_core PRIVATE ${foretrace_cuda_folder}/attention_plan.cc ${foretrace_cuda_folder}/pass_shape.cc
                                      ${foretrace_cuda_folder}/sample_tasks.cc ${foretrace_cuda_folder}/shapes.cc
                                      ${foretrace_cuda_folder}/staging.cc)

if(foretrace_has_cuda)
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_EXTENSION_COMPILE_OPTION)  # CMake before 3.26 does not know that nvcc has C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  find_package(CUDAToolkit REQUIRED)
  file(GLOB cuda_sources CONFIGURE_DEPENDS ${foretrace_cuda_folder}/*.cu)
  add_library(foretrace_cuda OBJECT ${cuda_sources})
  target_include_directories(foretrace_cuda PRIVATE ${foretrace_cuda_folder}/..)
  set_target_properties(foretrace_cuda PROPERTIES CUDA_STANDARD 20 CUDA_ARCHITECTURES OFF
    POSITION_INDEPENDENT_CODE ON CUDA_VISIBILITY_PRESET hidden)
  set(foretrace_cuda_options --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off)
  foreach(target ${FORETRACE_CUDA_TARGETS})
    list(APPEND foretrace_cuda_options "SHELL:-gencode arch=compute_${target},code=sm_${target}")
  endforeach()
  if("80" IN_LIST FORETRACE_CUDA_TARGETS)  # for GPUs newer than any target, which the driver compiles for
    list(APPEND foretrace_cuda_options "SHELL:-gencode arch=compute_80,code=compute_80")
  endif()
  target_compile_options(foretrace_cuda PRIVATE ${foretrace_cuda_options})
  target_sources(foretrace_core PRIVATE $<TARGET_OBJECTS:foretrace_cuda>)
  target_link_libraries(foretrace_core PUBLIC ${CUDA_cudart_static_LIBRARY} ${CMAKE_DL_LIBS} rt)
else()
  target_sources(foretrace_core PRIVATE ${foretrace_cuda_folder}/absent.cc)
endif()

# A program over the core that may call the CUDA runtime.
function(foretrace_cuda_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE foretrace_core)
  target_include_directories(${name} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${foretrace_flags}>"
                                         "$<$<COMPILE_LANGUAGE:CUDA>:${foretrace_cuda_options}>")
  set_target_properties(${name} PROPERTIES CUDA_STANDARD 20 CUDA_ARCHITECTURES OFF)
endfunction()

if(foretrace_has_cuda AND foretrace_is_top)
  foretrace_cuda_program(cuda_bench bench/cuda_bench.cc bench/cuda_kernel_bench.cc bench/cuda_peaks.cu bench/cuda_steps.cc
    bench/cuda_targets.cc)
endif()

# Tests that a plain executable over the core does not do for.
function(foretrace_cuda_tests)
  set(tests ${CMAKE_CURRENT_SOURCE_DIR}/test)
  add_executable(cuda_emulated_test ${tests}/cuda_emulated_test.cc)
  target_include_directories(cuda_emulated_test BEFORE PRIVATE ${tests}/cuda_emulated ${tests})
  target_compile_options(cuda_emulated_test PRIVATE ${foretrace_flags})
  target_link_libraries(cuda_emulated_test PRIVATE foretrace_core)
  if(FORETRACE_SANITIZE)  # minutes to compile and more to run: built when asked for by name
    set_target_properties(cuda_emulated_test PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  set(names cuda_emulated_test)
  if(foretrace_has_cuda)
    foretrace_cuda_program(cuda_test ${tests}/cuda_test.cc)
    list(APPEND names cuda_test)
  endif()
  foreach(name ${names})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/..)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endfunction()
