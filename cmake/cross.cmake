# cross.cmake: a toolchain file for another processor, with Debian's cross compiler and qemu-user.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/cross.cmake -DPF_ARCH=aarch64 …     (make wheels ARCH=aarch64)
#
# The guest's WebAssembly is the same for every processor; what gcc makes of it is not. The build
# runs two of its own programs, js_bake and pf_bake: they run in qemu, which CMake puts before them.
set(CMAKE_SYSTEM_NAME Linux)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PF_ARCH)
if(NOT PF_ARCH)
    message(FATAL_ERROR "cross.cmake wants a processor: -DPF_ARCH=aarch64")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${PF_ARCH})
set(triple ${PF_ARCH}-linux-gnu)
find_program(PF_CROSS_GCC ${triple}-gcc)
find_program(PF_QEMU NAMES qemu-${PF_ARCH} qemu-${PF_ARCH}-static)
if(NOT PF_CROSS_GCC OR NOT PF_QEMU)
    message(FATAL_ERROR "A build for ${PF_ARCH} needs ${triple}-gcc and qemu-${PF_ARCH}.\n"
                        "On Debian: tools/setup --cross (or apt install gcc-${triple} qemu-user)")
endif()
set(CMAKE_C_COMPILER ${PF_CROSS_GCC})
set(CMAKE_CROSSCOMPILING_EMULATOR ${PF_QEMU} -L /usr/${triple})
# Programs of the build are this machine's; it has the headers and libraries of the other in one place.
set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
