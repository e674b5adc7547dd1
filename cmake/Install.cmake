# What `make install` installs: the shared library with exactly the functions of pinfold.h, what CMake
# and pkg-config need to find it, the program and its manual page.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_package(Threads REQUIRED)

# The list of exports is the header: nothing else leaves the library.
file(READ ${PROJECT_SOURCE_DIR}/include/pinfold.h header)
string(REGEX MATCHALL "PF_API [^(;]*pf_[a-z0-9_]+\\(" declarations "${header}")
set(exports "")
foreach(declaration IN LISTS declarations)
    string(REGEX REPLACE ".*[^a-z0-9_](pf_[a-z0-9_]+)\\(" "\\1" name "${declaration}")
    string(APPEND exports "    ${name};\n")
endforeach()
set(PF_EXPORTS ${PROJECT_BINARY_DIR}/exports.map)
file(CONFIGURE OUTPUT ${PF_EXPORTS} CONTENT "{\n  global:\n${exports}  local:\n    *;\n};\n")
string(REGEX MATCH "PF_ABI_VERSION ([0-9]+)" unused "${header}")
set(abi ${CMAKE_MATCH_1})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/pinfold.h)

add_library(pinfold_shared SHARED $<TARGET_OBJECTS:pinfold>)
target_link_libraries(pinfold_shared PRIVATE
    pf_baked pf_guest_images pf_cpu pf_capability pf_http pf_base pf_monocypher pf_zstd pf_zones pf_library m Threads::Threads)
target_include_directories(pinfold_shared INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_options(pinfold_shared PRIVATE LINKER:--version-script=${PF_EXPORTS})
set_target_properties(pinfold_shared PROPERTIES
    OUTPUT_NAME pinfold
    EXPORT_NAME pinfold
    VERSION ${PROJECT_VERSION}
    SOVERSION ${abi}
    LINK_DEPENDS ${PF_EXPORTS}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# The static library is one object: everything linked together, and of its names only the header's are
# left, so that an embedder's own copy of a library that is built in does not meet this one.
string(REGEX REPLACE "[ ;]+" "\n" names "${exports}")
set(PF_NAMES ${PROJECT_BINARY_DIR}/exports.txt)
file(CONFIGURE OUTPUT ${PF_NAMES} CONTENT "${names}")
set(static ${PROJECT_BINARY_DIR}/lib/libpinfold.a)
set(object ${PROJECT_BINARY_DIR}/lib/pinfold.o)
set(parts pf_guest_images pf_cpu pf_capability pf_http pf_unicode pf_base pf_regex pf_utf8 pf_yyjson pf_monocypher pf_zstd
    pf_zones pf_library)
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
add_custom_command(
    OUTPUT ${static}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} $<TARGET_OBJECTS:pf_baked>
            -Wl,--whole-archive $<TARGET_FILE:pinfold> -Wl,--no-whole-archive
            -Wl,--start-group ${files} -Wl,--end-group
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --keep-global-symbols=${PF_NAMES} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
    COMMAND ${CMAKE_AR} qcsD ${static} ${object}
    DEPENDS pinfold pf_baked $<TARGET_OBJECTS:pf_baked> ${parts} ${PF_NAMES}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "libpinfold.a")
add_custom_target(pinfold_static DEPENDS ${static})

install(TARGETS pinfold_shared EXPORT pinfold LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${static} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/pinfold.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pinfold)
install(EXPORT pinfold FILE pinfoldTargets.cmake NAMESPACE pinfold:: DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/pinfoldConfig.cmake.in
    ${PROJECT_BINARY_DIR}/pinfoldConfig.cmake INSTALL_DESTINATION ${package}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
install(FILES ${PROJECT_BINARY_DIR}/pinfoldConfig.cmake DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pinfoldConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pinfoldConfigVersion.cmake DESTINATION ${package})
configure_file(${PROJECT_SOURCE_DIR}/cmake/pinfold.pc.in ${PROJECT_BINARY_DIR}/pinfold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/pinfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/docs/pinfold.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/policy.md
              ${PROJECT_SOURCE_DIR}/docs/policy.schema.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
# What the product is made of, with versions and digests.
execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/sbom.py
                        ${PROJECT_BINARY_DIR}/pinfold.cdx.json
                RESULT_VARIABLE failed ERROR_VARIABLE why)
if(failed)
    message(FATAL_ERROR "${why}")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/tools/sbom.py ${PROJECT_SOURCE_DIR}/third_party/README.md
    ${PROJECT_SOURCE_DIR}/third_party/package-lock.json ${PROJECT_SOURCE_DIR}/third_party/debian.toml)
install(FILES ${PROJECT_BINARY_DIR}/pinfold.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
