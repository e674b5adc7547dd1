# Cache.cmake: a compiler cache where there is one (ccache), shared by all clones of the tree.
#
#   PF_LAUNCHER  what stands before a compiler's command: for custom commands; targets have it anyway
#   PF_CACHE     the folder where cmake/wasm_image.py keeps its results; empty: nowhere
#
# Two clones must not differ for the cache by where they lie: ccache makes paths below the tree
# relative, and images name the files of assertions without their folders (__FILE_NAME__).
find_program(PF_CCACHE ccache)
find_program(PF_ENV env)
set(PF_LAUNCHER ${CMAKE_C_COMPILER_LAUNCHER})
set(PF_CACHE "" CACHE PATH "Folder for the results of wasm-opt and wasm2c (empty: not kept)")
if(PF_CCACHE AND PF_ENV AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(PF_LAUNCHER ${PF_ENV} CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PF_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${PF_LAUNCHER})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${PF_LAUNCHER})
endif()
if(PF_CCACHE AND NOT PF_CACHE)
    if(DEFINED ENV{CCACHE_DIR})
        set(PF_CACHE $ENV{CCACHE_DIR}/pinfold)
    elseif(DEFINED ENV{XDG_CACHE_HOME})
        set(PF_CACHE $ENV{XDG_CACHE_HOME}/pinfold)
    elseif(DEFINED ENV{HOME})
        set(PF_CACHE $ENV{HOME}/.cache/pinfold)
    endif()
endif()
