# Tools.cmake: finds what the guest is built with, and refuses what was not tested.
#
# Versions matter more than usual: the build rewrites wasm2c's output, so wabt is pinned exactly.

# pf_tool(VARIABLE PACKAGE names...): sets VARIABLE to the program's path, or says what to install.
function(pf_tool variable package)
    find_program(${variable} NAMES ${ARGN})
    if(NOT ${variable})
        list(GET ARGN 0 name)
        message(FATAL_ERROR "pinfold needs `${name}` to build its guest.\n"
                            "On Debian: apt install ${package} (or run tools/setup as root).\n"
                            "Without it, -DPF_GUEST=OFF builds the native programs alone.")
    endif()
endfunction()

# pf_version(VARIABLE regex): sets VARIABLE_VERSION from `VARIABLE --version`.
function(pf_version variable regex)
    execute_process(COMMAND ${${variable}} --version OUTPUT_VARIABLE text ERROR_VARIABLE text
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT text MATCHES "${regex}")
        message(FATAL_ERROR "${${variable}} --version says nothing that is a version: ${text}")
    endif()
    set(${variable}_VERSION "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

find_package(Python3 3.11 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
    message(FATAL_ERROR "pinfold's build needs Python 3.11 or newer. On Debian: apt install python3")
endif()

find_path(PF_WASM_RT_INCLUDE wasm-rt.h)
if(NOT PF_WASM_RT_INCLUDE)
    message(FATAL_ERROR "wasm-rt.h is missing. On Debian: apt install wabt")
endif()
if(CMAKE_CROSSCOMPILING)
    # It lies among this machine's headers, of which the other's compiler must see nothing else.
    file(GLOB headers ${PF_WASM_RT_INCLUDE}/wasm-rt*.h)
    file(COPY ${headers} DESTINATION ${PROJECT_BINARY_DIR}/wasm_rt)
    set(PF_WASM_RT_INCLUDE ${PROJECT_BINARY_DIR}/wasm_rt)
endif()

if(NOT PF_GUEST)
    return()
endif()

if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    message(FATAL_ERROR "The guest is built with Ninja only: cmake -G Ninja. "
                        "On Debian: apt install ninja-build")
endif()

pf_tool(PF_CLANG "clang-19" clang-19 clang)
pf_version(PF_CLANG "clang version ([0-9]+)")
if(NOT PF_CLANG_VERSION EQUAL 19)
    message(FATAL_ERROR "${PF_CLANG} is clang ${PF_CLANG_VERSION}; pinfold is tested with clang 19. "
                        "On Debian: apt install clang-19")
endif()
pf_tool(PF_WASM_LD "lld-19" wasm-ld-19 wasm-ld)
pf_version(PF_WASM_LD "LLD ([0-9]+)")
if(NOT PF_WASM_LD_VERSION EQUAL 19)
    message(FATAL_ERROR "${PF_WASM_LD} is LLD ${PF_WASM_LD_VERSION}; pinfold is tested with 19. "
                        "On Debian: apt install lld-19")
endif()
pf_tool(PF_LLVM_AR "llvm-19" llvm-ar-19 llvm-ar)
pf_tool(PF_WASM_OPT "binaryen" wasm-opt)
pf_version(PF_WASM_OPT "version ([0-9]+)")
if(PF_WASM_OPT_VERSION LESS 108)
    message(FATAL_ERROR "${PF_WASM_OPT} is binaryen ${PF_WASM_OPT_VERSION}; pinfold needs 108 or "
                        "newer. On Debian: apt install binaryen")
endif()
pf_tool(PF_WASM2C "wabt" wasm2c)
pf_version(PF_WASM2C "([0-9.]+)")
if(NOT PF_WASM2C_VERSION STREQUAL "1.0.32")
    message(FATAL_ERROR "${PF_WASM2C} is wabt ${PF_WASM2C_VERSION}; the build rewrites the output of "
                        "exactly 1.0.32. On Debian 12: apt install wabt=1.0.32*")
endif()

find_path(PF_WASI_INCLUDE stdio.h PATHS /usr/include/wasm32-wasi NO_DEFAULT_PATH)
find_file(PF_WASI_LIBC libc.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
if(NOT PF_WASI_INCLUDE OR NOT PF_WASI_LIBC)
    message(FATAL_ERROR "The C library for wasm32-wasi is missing. On Debian: apt install wasi-libc")
endif()
execute_process(COMMAND ${PF_CLANG} --target=wasm32-wasi -print-resource-dir
                OUTPUT_VARIABLE PF_CLANG_RESOURCES OUTPUT_STRIP_TRAILING_WHITESPACE)
find_file(PF_WASM_BUILTINS libclang_rt.builtins-wasm32.a
          PATHS ${PF_CLANG_RESOURCES}/lib/wasi NO_DEFAULT_PATH)
if(NOT PF_WASM_BUILTINS)
    message(FATAL_ERROR "clang's runtime for wasm32 is missing. "
                        "On Debian: apt install libclang-rt-19-dev-wasm32")
endif()
