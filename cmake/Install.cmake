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
    pf_baked pf_guest_images pf_cpu pf_capability pf_base pf_monocypher pf_zstd pf_zones m Threads::Threads)
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

install(TARGETS pinfold_shared EXPORT pinfold LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/pinfold.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/pinfold)
install(EXPORT pinfold FILE pinfoldConfig.cmake NAMESPACE pinfold:: DESTINATION ${package})
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
    ${PROJECT_SOURCE_DIR}/third_party/package-lock.json)
install(FILES ${PROJECT_BINARY_DIR}/pinfold.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
