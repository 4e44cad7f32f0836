# install(): headers, library, find_package(clgemm) and pkg-config.
include(CMakePackageConfigHelpers)

install(TARGETS clgemm EXPORT clgemm-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/clgemm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/clgemm)
install(EXPORT clgemm-targets NAMESPACE clgemm:: DESTINATION ${package_dir})
configure_package_config_file(cmake/clgemm-config.cmake.in clgemm-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(clgemm-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clgemm-config.cmake ${PROJECT_BINARY_DIR}/clgemm-config-version.cmake
        DESTINATION ${package_dir})

# Paths relative to the .pc file, so that an installed copy can be moved.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/clgemm.pc.in clgemm.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clgemm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
