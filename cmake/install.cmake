# install(): headers, library, find_package(clgemm) and pkg-config; and the target `uninstall`.
include(CMakePackageConfigHelpers)

clgemm_install_library(clgemm library)
install(DIRECTORY include/clgemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
# Of others' code that is compiled in. (cmake/debian/copyright has the same texts, for the packages.)
install(FILES licenses/nlohmann-json.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses COMPONENT license)
if(CLGEMM_BUILD_TOOLS)
  install(FILES licenses/CLI11.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses COMPONENT license)
endif()
# The same for tools that read SPDX. Its date is that of the sources where the environment has it, and never the build's.
set(spdx_created "1970-01-01T00:00:00Z")
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  string(TIMESTAMP spdx_created "%Y-%m-%dT%H:%M:%SZ" UTC)
endif()
set(spdx_cli11_version NOASSERTION) # where no program is built
if(CLGEMM_BUILD_TOOLS)
  find_package(CLI11 REQUIRED)
  set(spdx_cli11_version ${CLI11_VERSION})
endif()
configure_file(cmake/clgemm.spdx.json.in clgemm.spdx.json @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgemm.spdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clgemm)
install(EXPORT clgemm-targets NAMESPACE clgemm:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/clgemm-config.cmake.in clgemm-config.cmake INSTALL_DESTINATION ${package_dir})
configure_file(cmake/clgemm-config-version.cmake.in clgemm-config-version.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgemm-config.cmake ${PROJECT_BINARY_DIR}/clgemm-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# A program in C that is linked with the static library needs the C++ runtime, too.
set(static_libs "")
if(NOT BUILD_SHARED_LIBS)
  set(libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER libraries INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
  foreach(library ${libraries})
    target_link_libraries(clgemm PRIVATE $<INSTALL_INTERFACE:${library}>)
    string(APPEND static_libs " -l${library}")
  endforeach()
  string(APPEND static_libs " ${CMAKE_THREAD_LIBS_INIT}")
endif()
# Paths relative to the .pc file, so that an installed copy can be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/clgemm.pc.in clgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# What `cmake --install` wrote last, by the list that it leaves.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
                  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} VERBATIM)
