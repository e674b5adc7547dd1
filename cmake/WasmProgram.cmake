# WasmProgram.cmake: how a program of the guest is made. The only place that knows.
#
#   add_guest_library(NAME SOURCES … [INCLUDES …] [DEFINES …] [LIBS …] [COMPILE_OPTIONS …] [NATIVE_ONLY]
#                     [WASM_ONLY])
#       a library compiled twice: natively as target pf_NAME, and for wasm.
#   add_wasm_program(NAME SOURCES … [APPLETS cmd …] [INCLUDES …] [DEFINES …] [LIBS …]
#                    [ASYNCIFY_ONLY function …] [STACK bytes] [ASYNCIFY_STACK bytes] [PARTS n]
#                    [HEAP bytes] [COMPILE_OPTIONS …] [IMAGE_OPTIONS …] [BOOT [BARE]] [COLD] [TYPED] [TEST]
#                    [WASM_ONLY])
#       build/native/bin/NAME with a link for each applet (target native_NAME), build/wasm/NAME.wasm,
#       and the object library pf_image_NAME, which joins the host's image table.
#       BOOT: main(0, NULL) runs before the arguments are asked for, and calls pf_booted(). BARE: there is a
#       second image of it, NAME-bare, in which nothing is booted; /usr/libexec holds its first command.
#       COLD: wasm-opt and gcc make the image at -O1, in half the time: for programs that wait more
#       than they compute. PARTS: into how many files its generated C is split; without, it is one.
#       HEAP: so much memory for malloc() is there from the start, and stays from process to process: to
#       grow costs more than to clear it.
#       HOT (with PARTS): a list of the functions that its time goes to, which gcc makes with more care
#       than the others (hot_image.py).
#       TYPED (with PARTS): its accesses to memory are written as typed_image.py says.
#       IMAGE_OPTIONS: for gcc, and the image alone. TEST: not part of the product; joins
#       pf_guest_images_test only. ONE: the same for pf_guest_images_one, and nothing native. WASM_ONLY:
#       it has no native twin, and what lies in its sources is for guest/libc alone.
#   add_wasm_kernel(SOURCES … [INCLUDES …] [DEFINES …] [STACK bytes])
#       the kernel: no imports, no Asyncify. Also the native library pf_kernel, for tests. And the image
#       kernel_hostile, whose sizes are as small as they can be (guest/kernel/sizes.h), for `make hostile`.
#   add_guest_images()
#       at the end: the libraries pf_guest_images and pf_guest_images_test.
#
# One image: clang -> wasm-ld -> [cmake/wasm_image.py: wasm-opt --asyncify, checks, wasm2c (code alone:
# cmake/wasm_data.py), rewrite] -> cmake/split_image.py -> gcc. A part whose C does not change is not compiled again. With
# PF_SIGNALS=OFF, cmake/checked_image.py stands before split_image.py; else cmake/held_image.py does, for the kernel.

set(PF_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(PF_WASM_DIR ${PROJECT_BINARY_DIR}/wasm)
set(PF_NATIVE_BIN ${PROJECT_BINARY_DIR}/native/bin)
# The guest's C library, ahead of wasi-libc: see guest/libc/README.md.
set(PF_WASM_FLAGS
    --target=wasm32-wasi -std=gnu11 -O2 -mbulk-memory -g0 -ffunction-sections -fdata-sections
    -Wall -Wextra -D_GNU_SOURCE -fno-strict-aliasing ${PF_PLAIN_NAMES}
    -isystem ${PROJECT_SOURCE_DIR}/guest/libc/posix
    -I${PROJECT_SOURCE_DIR}/guest/libc/include -I${PROJECT_SOURCE_DIR})
set(PF_WASM_FREESTANDING_FLAGS
    --target=wasm32-wasi -std=gnu11 -O2 -mbulk-memory -g0 -ffunction-sections -fdata-sections
    -Wall -Wextra -fno-strict-aliasing ${PF_PLAIN_NAMES} -I${PROJECT_SOURCE_DIR})
# For gcc, as tests/wasm uses them, too. -w: generated code is checked by what it is generated from.
set(PF_IMAGE_FLAGS -g0 -ffp-contract=off -fvisibility=hidden -fno-sanitize=all -w)
# The same for what cmake/held_image.py wrote: a fault is seen, whatever becomes of what was read.
set(PF_HELD_FLAGS -fnon-call-exceptions -fno-delete-dead-exceptions)
# For an image's hot part: what -fgcse finds in a loop as large as an interpreter's is not worth half the time.
set(PF_HOT_FLAGS -O2 -fno-gcse)
# No frame of generated code may jump over the guard page below a native stack.
set(PF_FRAME_MAX 65536)
# What a guest library that is not there is; WARNING builds the rest.
set(PF_MISSING SEND_ERROR)

# Compiles sources for wasm; the objects' paths are left in `out`.
function(pf_wasm_objects out name)
    cmake_parse_arguments(A "" "" "SOURCES;FLAGS" ${ARGN})
    # A compiler cache may name files from the folder that the compiler runs in (cmake/Cache.cmake). The
    # longest prefix counts.
    foreach(folder ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
        cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
        list(APPEND A_FLAGS -fmacro-prefix-map=${folder}/=)
    endforeach()
    set(objects)
    foreach(source IN LISTS A_SOURCES)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                   OUTPUT_VARIABLE short)
        string(REPLACE "../" "_/" short "${short}")
        set(object ${PF_WASM_DIR}/obj/${name}/${short}.o)
        cmake_path(GET object PARENT_PATH folder)
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(
            OUTPUT ${object}
            COMMAND ${PF_LAUNCHER} ${PF_CLANG} ${A_FLAGS} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
            DEPENDS ${source}
            DEPFILE ${object}.d
            COMMENT "wasm ${name}: ${short}"
            VERBATIM)
        list(APPEND objects ${object})
    endforeach()
    set(${out} ${objects} PARENT_SCOPE)
endfunction()

# Our headers are "quoted", so that lib/regex/regex.h does not hide <regex.h>; those of third
# parties may be <bracketed>, after the system's.
# The flags that a program or library gets from its own arguments and from its libraries.
function(pf_wasm_flags out includes defines libs options)
    set(flags ${options})
    foreach(define IN LISTS defines)
        list(APPEND flags -D${define})
    endforeach()
    foreach(lib IN LISTS libs)
        get_property(more GLOBAL PROPERTY PF_LIB_${lib}_INCLUDES)
        list(APPEND includes ${more})
    endforeach()
    foreach(folder IN LISTS includes)
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        list(APPEND flags -iquote ${folder} -idirafter ${folder})
    endforeach()
    set(${out} ${flags} PARENT_SCOPE)
endfunction()

# `libs` and the libraries they use, each once, users before what they use.
function(pf_all_libs out)
    set(all)
    set(todo ${ARGN})
    while(todo)
        list(POP_FRONT todo lib)
        list(REMOVE_ITEM all ${lib})
        list(APPEND all ${lib})
        get_property(more GLOBAL PROPERTY PF_LIB_${lib}_LIBS)
        list(APPEND todo ${more})
    endwhile()
    set(${out} ${all} PARENT_SCOPE)
endfunction()

# Leaves the caller when one of the libraries is not there.
macro(pf_need_libs name)
    get_property(known GLOBAL PROPERTY PF_LIBS)
    foreach(lib ${ARGN})
        if(NOT lib IN_LIST known)
            message(${PF_MISSING} "${name} wants the guest library `${lib}`, which no folder before "
                    "${CMAKE_CURRENT_SOURCE_DIR} adds, and is left out. There are: ${known}")
            return()
        endif()
    endforeach()
endmacro()

function(pf_native_target target includes defines libs options)
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}
                               ${PROJECT_SOURCE_DIR}/guest/libc/include)
    foreach(folder IN LISTS includes)
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        target_compile_options(${target} PUBLIC "SHELL:-iquote ${folder}"
                               "SHELL:-idirafter ${folder}")
    endforeach()
    target_compile_definitions(${target} PRIVATE ${defines} _GNU_SOURCE)
    target_compile_options(${target} PRIVATE ${options})
    # -w says that the code is foreign: without what a debugger reads, it compiles in two thirds of the time.
    if("-w" IN_LIST options AND NOT PF_SANITIZE)
        target_compile_options(${target} PRIVATE -g0)
    endif()
    foreach(lib IN LISTS libs)
        target_link_libraries(${target} PUBLIC pf_${lib})
    endforeach()
endfunction()

function(add_guest_library name)
    cmake_parse_arguments(A "NATIVE_ONLY;WASM_ONLY" "" "SOURCES;INCLUDES;DEFINES;LIBS;COMPILE_OPTIONS" ${ARGN})
    pf_need_libs(${name} ${A_LIBS})
    set(includes ${CMAKE_CURRENT_SOURCE_DIR})
    foreach(folder IN LISTS A_INCLUDES)
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
        list(APPEND includes ${folder})
    endforeach()
    pf_all_libs(all ${A_LIBS})
    foreach(lib IN LISTS all)
        get_property(more GLOBAL PROPERTY PF_LIB_${lib}_INCLUDES)
        list(APPEND includes ${more})
    endforeach()
    list(REMOVE_DUPLICATES includes)

    if(NOT A_WASM_ONLY)
        add_library(pf_${name} STATIC ${A_SOURCES})
        pf_native_target(pf_${name} "${includes}" "${A_DEFINES}" "${A_LIBS}" "${A_COMPILE_OPTIONS}")
    endif()
    if(A_NATIVE_ONLY)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY PF_LIBS ${name})
    set_property(GLOBAL PROPERTY PF_LIB_${name}_INCLUDES ${includes})
    set_property(GLOBAL PROPERTY PF_LIB_${name}_LIBS ${A_LIBS})
    if(NOT PF_GUEST)
        return()
    endif()
    pf_wasm_flags(flags "${includes}" "${A_DEFINES}" "" "${A_COMPILE_OPTIONS}")
    pf_wasm_objects(objects lib_${name} SOURCES ${A_SOURCES} FLAGS ${PF_WASM_FLAGS} ${flags})
    pf_wasm_archive(${name} ${objects})
endfunction()

# Makes build/wasm/lib/libNAME.a and the target wasm_lib_NAME.
function(pf_wasm_archive name)
    set(archive ${PF_WASM_DIR}/lib/lib${name}.a)
    file(MAKE_DIRECTORY ${PF_WASM_DIR}/lib)
    add_custom_command(
        OUTPUT ${archive}
        COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
        COMMAND ${PF_LLVM_AR} rcsD ${archive} ${ARGN}
        DEPENDS ${ARGN}
        COMMENT "wasm library ${name}"
        VERBATIM)
    add_custom_target(wasm_lib_${name} DEPENDS ${archive})
    set_property(GLOBAL PROPERTY PF_LIB_${name}_ARCHIVE ${archive})
endfunction()

# Turns a linked wasm file into pf_image_NAME: checks, wasm2c, rewrite, gcc.
function(pf_image name kind linked depends)
    cmake_parse_arguments(A "" "STACK;LEVEL;PARTS;HOT;TYPED;BARE" "APPLETS;ASYNCIFY_ONLY;IMAGE_OPTIONS" ${ARGN})
    string(MAKE_C_IDENTIFIER ${name} module)
    set(folder ${PF_WASM_DIR}/c/${name})
    file(MAKE_DIRECTORY ${folder})
    set(only)
    if(A_ASYNCIFY_ONLY)
        set(only --asyncify-only ${A_ASYNCIFY_ONLY})
    endif()
    set(cache)
    if(PF_CACHE)
        set(cache --cache ${PF_CACHE})
    endif()
    add_custom_command(
        OUTPUT ${folder}/${module}.c ${folder}/${module}.h ${PF_WASM_DIR}/${name}.wasm
        COMMAND ${Python3_EXECUTABLE} ${PF_CMAKE_DIR}/wasm_image.py --kind ${kind}
                --module ${module} --input ${linked} --wasm ${PF_WASM_DIR}/${name}.wasm
                --folder ${folder} --wasm-opt ${PF_WASM_OPT} --wasm2c ${PF_WASM2C} --level=${A_LEVEL} ${only} ${cache}
        DEPENDS ${linked} ${depends} ${PF_CMAKE_DIR}/wasm_image.py ${PF_CMAKE_DIR}/wasm_data.py
                ${PF_CMAKE_DIR}/wasm_read.py ${PF_CMAKE_DIR}/build_cache.py
        COMMENT "image ${name}"
        VERBATIM)
    # Who asks for bounds: the code itself, or the system. The kernel is in the way of every call, so it
    # is worth the compiler's time.
    set(step)
    if(NOT PF_SIGNALS)
        set(step checked)
    elseif(kind STREQUAL kernel)
        set(step held)
        list(APPEND A_IMAGE_OPTIONS ${PF_HELD_FLAGS})
    endif()
    set(source ${folder})
    if(step)
        set(source ${folder}/${step})
        add_custom_command(
            OUTPUT ${source}/${module}.c ${source}/${module}.h
            COMMAND ${Python3_EXECUTABLE} ${PF_CMAKE_DIR}/${step}_image.py --module ${module}
                    --input ${folder} --folder ${source}
            DEPENDS ${folder}/${module}.c ${folder}/${module}.h ${PF_CMAKE_DIR}/${step}_image.py
                    ${PF_CMAKE_DIR}/image_step.py ${PF_CMAKE_DIR}/wasm_image.py
            COMMENT "${step} ${name}"
            VERBATIM)
    endif()
    set(parts ${source}/${module}.c)
    if(A_PARTS)
        set(parts)
        set(typed)
        if(A_TYPED)
            set(typed --typed)
            list(APPEND A_IMAGE_OPTIONS -fstrict-aliasing)
        endif()
        set(hot)
        if(A_HOT)
            cmake_path(ABSOLUTE_PATH A_HOT BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
            set(hot --hot ${A_HOT})
        endif()
        math(EXPR last "${A_PARTS} - 1")
        foreach(part RANGE ${last})
            list(APPEND parts ${source}/${module}_${part}.c)
        endforeach()
        add_custom_command(
            OUTPUT ${parts} ${source}/${module}_parts.h
            COMMAND ${Python3_EXECUTABLE} ${PF_CMAKE_DIR}/split_image.py --module ${module}
                    --folder ${source} --parts ${A_PARTS} ${typed} ${hot}
            DEPENDS ${source}/${module}.c ${PF_CMAKE_DIR}/split_image.py ${PF_CMAKE_DIR}/typed_image.py
                    ${PF_CMAKE_DIR}/hot_image.py ${A_HOT}
            COMMENT "parts of ${name}"
            VERBATIM)
    endif()
    list(JOIN A_APPLETS "\\n" applets)
    string(REPLACE "%5B" "[" applets "${applets}")
    set(PF_IMAGE_NAME ${name})
    set(PF_IMAGE_MODULE ${module})
    set(PF_IMAGE_APPLETS "${applets}")
    set(PF_IMAGE_STACK ${A_STACK})
    set(PF_IMAGE_BARE "")
    if(A_BARE)
        list(GET A_APPLETS 0 first)
        string(CONCAT PF_IMAGE_BARE "const struct pf_image pf_image_${module}_bare = {\n"
               "    .name = \"${name}-bare\",\n    .applets = \"${first}\",\n    .bare = 1,\n    FIELDS\n};\n")
    endif()
    # Beside the header whose structure it reads.
    configure_file(${PF_CMAKE_DIR}/image_${kind}.c.in ${source}/image.c @ONLY)
    add_library(pf_image_${name} OBJECT ${parts} ${source}/image.c)
    target_include_directories(pf_image_${name} PRIVATE ${source} ${PROJECT_SOURCE_DIR}
                               ${PF_WASM_RT_INCLUDE})
    set_source_files_properties(${source}/image.c PROPERTIES COMPILE_OPTIONS "${PF_NO_PATHS}")
    set_source_files_properties(${parts} PROPERTIES COMPILE_OPTIONS
        "${A_LEVEL};${PF_IMAGE_FLAGS};-fstack-usage;${A_IMAGE_OPTIONS}")
    if(A_HOT)
        set_source_files_properties(${source}/${module}_1.c PROPERTIES COMPILE_OPTIONS
            "${PF_HOT_FLAGS};${PF_IMAGE_FLAGS};-fstack-usage;${A_IMAGE_OPTIONS}")
    endif()
    add_custom_command(
        OUTPUT ${folder}/frames.ok
        COMMAND ${Python3_EXECUTABLE} ${PF_CMAKE_DIR}/check_frames.py --max ${PF_FRAME_MAX}
                --image ${name} --stamp ${folder}/frames.ok
                $<FILTER:$<TARGET_OBJECTS:pf_image_${name}>,EXCLUDE,/image\\.c\\.o>
        DEPENDS $<TARGET_OBJECTS:pf_image_${name}> ${PF_CMAKE_DIR}/check_frames.py
        COMMENT "stack frames of ${name}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(frames_${name} DEPENDS ${folder}/frames.ok)
endfunction()

# The program as an ordinary Linux program, with a link for each applet.
function(pf_native_program name sources includes defines libs options applets)
    add_executable(native_${name} ${sources})
    set_target_properties(native_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PF_NATIVE_BIN})
    pf_native_target(native_${name} "${CMAKE_CURRENT_SOURCE_DIR};${includes}" "${defines}" "${libs}"
                     "${options}")
    target_link_libraries(native_${name} PRIVATE pf_native m)
    foreach(applet IN LISTS applets)
        if(NOT applet STREQUAL name)
            string(REPLACE "%5B" "[" applet "${applet}")
            add_custom_command(TARGET native_${name} POST_BUILD VERBATIM
                COMMAND ${CMAKE_COMMAND} -E create_symlink ${name} "${PF_NATIVE_BIN}/${applet}")
        endif()
    endforeach()
endfunction()

function(add_wasm_program name)
    # There is a command called [, which CMake takes for a bracket within lists.
    set(arguments)
    math(EXPR last "${ARGC} - 1")
    foreach(i RANGE 1 ${last})
        string(REPLACE "[" "%5B" argument "${ARGV${i}}")
        list(APPEND arguments ${argument})
    endforeach()
    cmake_parse_arguments(A "BOOT;BARE;COLD;TYPED;TEST;ONE;WASM_ONLY" "STACK;ASYNCIFY_STACK;PARTS;HOT;HEAP"
                          "SOURCES;APPLETS;INCLUDES;DEFINES;LIBS;ASYNCIFY_ONLY;COMPILE_OPTIONS;IMAGE_OPTIONS"
                          ${arguments})
    pf_need_libs(${name} ${A_LIBS})
    if(NOT A_APPLETS)
        set(A_APPLETS ${name})
    endif()
    if(NOT A_STACK)
        set(A_STACK 131072)
    endif()
    if(NOT A_ASYNCIFY_STACK)
        set(A_ASYNCIFY_STACK 65536)
    endif()
    set(heap)
    if(A_HEAP)
        set(heap --initial-heap=${A_HEAP})
    endif()

    if(NOT A_ONE AND NOT A_WASM_ONLY)
        pf_native_program(${name} "${A_SOURCES}" "${A_INCLUDES}" "${A_DEFINES}" "${A_LIBS}"
                          "${A_COMPILE_OPTIONS}" "${A_APPLETS}")
    endif()
    if(NOT PF_GUEST OR (PF_PROGRAMS AND NOT A_TEST AND NOT A_ONE AND NOT name IN_LIST PF_PROGRAMS))
        return()
    endif()

    pf_all_libs(libs ${A_LIBS})
    pf_wasm_flags(flags "${CMAKE_CURRENT_SOURCE_DIR};${A_INCLUDES}" "${A_DEFINES}" "${libs}"
                  "${A_COMPILE_OPTIONS}")
    pf_wasm_objects(objects ${name} SOURCES ${A_SOURCES} FLAGS ${PF_WASM_FLAGS} ${flags})
    set(boot 0)
    set(whole 1)
    if(A_BOOT)
        set(boot 1)
    endif()
    if(A_ASYNCIFY_ONLY)
        set(whole 0)
    endif()
    set(crt ${PROJECT_SOURCE_DIR}/guest/libc/crt.c)
    set(crt_object ${PF_WASM_DIR}/obj/${name}/crt.o)
    file(MAKE_DIRECTORY ${PF_WASM_DIR}/obj/${name})
    add_custom_command(
        OUTPUT ${crt_object}
        COMMAND ${PF_LAUNCHER} ${PF_CLANG} ${PF_WASM_FLAGS} -DPF_ASYNCIFY_STACK=${A_ASYNCIFY_STACK} -DPF_BOOT=${boot}
                -DPF_WHOLE_STACK=${whole}
                -MD -MF ${crt_object}.d -MT ${crt_object} -c ${crt} -o ${crt_object}
        DEPENDS ${crt}
        DEPFILE ${crt_object}.d
        COMMENT "wasm ${name}: crt"
        VERBATIM)
    set(archives)
    foreach(lib IN LISTS libs)
        get_property(archive GLOBAL PROPERTY PF_LIB_${lib}_ARCHIVE)
        list(APPEND archives ${archive})
    endforeach()
    get_property(libc GLOBAL PROPERTY PF_LIB_c_ARCHIVE)
    list(APPEND archives ${libc} ${PF_WASI_UPPER})
    set(linked ${PF_WASM_DIR}/obj/${name}/linked.wasm)
    add_custom_command(
        OUTPUT ${linked}
        COMMAND ${PF_WASM_LD} --no-entry --stack-first -z stack-size=${A_STACK} ${heap} --gc-sections
                --strip-debug --fatal-warnings --max-memory=4294901760
                --export=pf_start --export=pf_asyncify --export=__stack_pointer --export=__heap_base
                ${objects} ${crt_object} ${archives} ${PF_WASM_BUILTINS} -o ${linked}
        DEPENDS ${objects} ${crt_object} ${archives}
        COMMENT "wasm ${name}: link"
        VERBATIM)
    set(level ${PF_WASM_OPT_LEVEL})
    if(A_COLD)
        set(level -O1)
    endif()
    pf_image(${name} program ${linked} "" STACK ${A_STACK} LEVEL ${level} PARTS ${A_PARTS} HOT ${A_HOT} TYPED ${A_TYPED} BARE ${A_BARE} APPLETS ${A_APPLETS}
             ASYNCIFY_ONLY ${A_ASYNCIFY_ONLY} IMAGE_OPTIONS ${A_IMAGE_OPTIONS})
    if(A_BARE)
        set_property(GLOBAL APPEND PROPERTY PF_BARE_IMAGES ${name})
    endif()
    if(A_ONE)
        set_property(GLOBAL PROPERTY PF_ONE_IMAGE ${name})
    elseif(A_TEST)
        set_property(GLOBAL APPEND PROPERTY PF_TEST_IMAGES ${name})
    else()
        set_property(GLOBAL APPEND PROPERTY PF_IMAGES ${name})
    endif()
endfunction()

function(add_wasm_kernel)
    cmake_parse_arguments(A "" "STACK" "SOURCES;INCLUDES;DEFINES;COMPILE_OPTIONS" ${ARGN})
    if(NOT A_STACK)
        set(A_STACK 131072)
    endif()
    add_library(pf_kernel STATIC ${A_SOURCES})
    pf_native_target(pf_kernel "${CMAKE_CURRENT_SOURCE_DIR};${A_INCLUDES}" "${A_DEFINES}" ""
                     "${A_COMPILE_OPTIONS}")
    if(NOT PF_GUEST)
        return()
    endif()
    pf_wasm_flags(flags "${CMAKE_CURRENT_SOURCE_DIR};${A_INCLUDES}" "${A_DEFINES}" ""
                  "${A_COMPILE_OPTIONS}")
    pf_kernel_image(kernel ${A_STACK} "${flags}" ${A_SOURCES})
    set_property(GLOBAL PROPERTY PF_HAVE_KERNEL ON)
    if(BUILD_TESTING)
        pf_kernel_image(kernel_hostile ${A_STACK} "${flags};-DPF_HOSTILE" ${A_SOURCES})
        set_target_properties(pf_image_kernel_hostile PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

function(pf_kernel_image name stack flags)
    pf_wasm_objects(objects ${name} SOURCES ${ARGN} FLAGS ${PF_WASM_FREESTANDING_FLAGS} ${flags})
    set(linked ${PF_WASM_DIR}/obj/${name}/linked.wasm)
    add_custom_command(
        OUTPUT ${linked}
        COMMAND ${PF_WASM_LD} --no-entry --stack-first -z stack-size=${stack} --gc-sections
                --strip-debug --fatal-warnings --max-memory=4294901760
                --export=pf_kernel_mailbox --export=pf_kernel_boot --export=pf_kernel_call
                --export=pf_kernel_next --export=__stack_pointer --export=__heap_base
                ${objects} ${PF_WASI_UPPER} ${PF_WASM_BUILTINS} -o ${linked}
        DEPENDS ${objects} ${PF_WASI_UPPER}
        COMMENT "wasm ${name}: link"
        VERBATIM)
    pf_image(${name} kernel ${linked} "" STACK ${stack} LEVEL ${PF_WASM_OPT_LEVEL})
endfunction()

# The table of images, the kernel first, and a library that holds it; its digest is that of DIGEST_OF.
function(pf_image_table target)
    cmake_parse_arguments(A "" "" "DIGEST_OF" ${ARGN})
    set(PF_TABLE_EXTERNS "")
    set(PF_TABLE_ENTRIES "")
    set(PF_TABLE_DIGEST ${target}_digest.h)
    set(modules "")
    foreach(name IN LISTS A_DIGEST_OF)
        list(APPEND modules ${PF_WASM_DIR}/${name}.wasm)
    endforeach()
    get_property(bare GLOBAL PROPERTY PF_BARE_IMAGES)
    foreach(name IN LISTS A_UNPARSED_ARGUMENTS)
        string(MAKE_C_IDENTIFIER ${name} module)
        if(name IN_LIST bare)
            string(APPEND PF_TABLE_EXTERNS "extern const struct pf_image pf_image_${module}_bare;\n")
            string(APPEND PF_TABLE_ENTRIES "    &pf_image_${module}_bare,\n")
        endif()
        string(APPEND PF_TABLE_EXTERNS "extern const struct pf_image pf_image_${module};\n")
        string(APPEND PF_TABLE_ENTRIES "    &pf_image_${module},\n")
    endforeach()
    configure_file(${PF_CMAKE_DIR}/images.c.in ${PF_WASM_DIR}/c/${target}.c @ONLY)
    set(digest ${PF_WASM_DIR}/c/${PF_TABLE_DIGEST})
    add_custom_command(
        OUTPUT ${digest}
        COMMAND ${Python3_EXECUTABLE} ${PF_CMAKE_DIR}/images_digest.py ${digest} ${modules}
        DEPENDS ${modules} ${PF_CMAKE_DIR}/images_digest.py
        COMMENT "digest of the images for ${target}"
        VERBATIM)
    add_library(${target} STATIC ${PF_WASM_DIR}/c/${target}.c ${digest})
    target_compile_options(${target} PRIVATE ${PF_NO_PATHS})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PF_WASM_RT_INCLUDE})
    target_link_libraries(${target} PUBLIC m) # generated code calls sqrt() and its like
endfunction()

function(add_guest_images)
    get_property(kernel GLOBAL PROPERTY PF_HAVE_KERNEL)
    get_property(images GLOBAL PROPERTY PF_IMAGES)
    get_property(tests GLOBAL PROPERTY PF_TEST_IMAGES)
    if(NOT PF_GUEST OR NOT kernel)
        return()
    endif()
    pf_image_table(pf_guest_images kernel ${images} DIGEST_OF kernel ${images})
    foreach(name kernel ${images})
        target_sources(pf_guest_images PRIVATE $<TARGET_OBJECTS:pf_image_${name}>)
        add_dependencies(pf_guest_images frames_${name})
    endforeach()
    if(PF_HOST)
        target_link_libraries(pf_guest_images INTERFACE pf_cpu) # wasm_rt_*
    endif()
    # For test programs: link this before pinfold, and its table is the one that is taken.
    pf_image_table(pf_guest_images_test kernel ${images} ${tests} DIGEST_OF kernel ${images} ${tests})
    foreach(name IN LISTS tests)
        target_sources(pf_guest_images_test PRIVATE $<TARGET_OBJECTS:pf_image_${name}>)
    endforeach()
    target_link_libraries(pf_guest_images_test PUBLIC pf_guest_images)
    target_link_options(pf_guest_images_test INTERFACE -Wl,--undefined=pf_images)
    if(TARGET pf_image_kernel_hostile)
        pf_image_table(pf_guest_images_hostile kernel_hostile ${images} ${tests}
                       DIGEST_OF kernel_hostile ${images} ${tests})
        set_target_properties(pf_guest_images_hostile PROPERTIES EXCLUDE_FROM_ALL ON)
        foreach(name kernel_hostile ${tests})
            target_sources(pf_guest_images_hostile PRIVATE $<TARGET_OBJECTS:pf_image_${name}>)
        endforeach()
        target_link_libraries(pf_guest_images_hostile PUBLIC pf_guest_images)
        target_link_options(pf_guest_images_hostile INTERFACE -Wl,--undefined=pf_images)
    endif()
    get_property(one GLOBAL PROPERTY PF_ONE_IMAGE)
    if(one) # the last program of a name is the one that runs
        pf_image_table(pf_guest_images_one kernel ${images} ${one} DIGEST_OF ${one})
        target_sources(pf_guest_images_one PRIVATE $<TARGET_OBJECTS:pf_image_${one}>)
        target_link_options(pf_guest_images_one INTERFACE -Wl,--undefined=pf_images)
    endif()
endfunction()
