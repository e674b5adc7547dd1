# Harden.cmake: how the product's native code is compiled and linked.
#
# pf_harden(TARGET…): stack protectors, bounds of libc's functions checked where they are known, no
# path of this machine in debugging information; full RELRO and BIND_NOW where TARGET is linked.
#
# Generated code of images is compiled without the first two: every buffer of a guest's lies in its
# linear memory, so that no frame has an array to guard, and it calls no function of libc that
# takes one.
set(PF_NO_PATHS -ffile-prefix-map=${PROJECT_BINARY_DIR}/= -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -ffile-prefix-map=${PROJECT_BINARY_DIR}=build -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)

function(pf_harden)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE -fstack-protector-strong ${PF_NO_PATHS})
        if(NOT PF_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # it wants optimised code
            target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
        endif()
        get_target_property(type ${target} TYPE)
        if(NOT type STREQUAL "STATIC_LIBRARY" AND NOT type STREQUAL "OBJECT_LIBRARY")
            target_link_options(${target} PRIVATE LINKER:-z,relro,-z,now,-z,noexecstack)
        endif()
        if(type STREQUAL "EXECUTABLE")
            target_link_options(${target} PRIVATE -pie)
        endif()
    endforeach()
endfunction()
