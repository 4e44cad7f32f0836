# Debian packages: `cmake --workflow --preset packages` writes them to build/packages/packages. Each is one component of
# install(). finish_packages.cmake adds what Debian wants and an installation elsewhere does not have.
set(CPACK_GENERATOR DEB)
set(CLGEMM_PACKAGE_CONTACT "whoever built this package <nobody@package-contact-not-set.invalid>" CACHE STRING
    "Who makes the packages and answers for them: Name <address>")
set(CLGEMM_PACKAGE_HOMEPAGE "" CACHE STRING "The web page that the packages name")
set(CPACK_PACKAGE_CONTACT "${CLGEMM_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "${CLGEMM_PACKAGE_HOMEPAGE}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/finish_packages.cmake)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL "")
set(debian_packages "") # the same packages, as the source package's control has them
set(debian_components "")

#   clgemm_package(component NAME package SECTION section MULTIARCH same|foreign [LIBRARY name] [DEPENDS packages] ... DESCRIPTION lines)
# Of the description, the first line is the synopsis. LIBRARY: the shared library that is in it, of which the loader's cache and
# the packages of programs that are linked with it want to know; debian/package.symbols says since when it has which function.
macro(clgemm_package component)
  cmake_parse_arguments(package "" "NAME;SECTION;MULTIARCH;LIBRARY;DEPENDS;RECOMMENDS;SUGGESTS" "DESCRIPTION" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_NAME})
  # CPack 3.25 has no variable for Multi-Arch, but writes this one as it is.
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION "${package_SECTION}\nMulti-Arch: ${package_MULTIARCH}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${package_DEPENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${package_RECOMMENDS}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${package_SUGGESTS}")
  list(JOIN package_DESCRIPTION "\n" CPACK_COMPONENT_${upper}_DESCRIPTION)
  if(package_LIBRARY)
    set(control ${PROJECT_BINARY_DIR}/debian/${component})
    file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
    file(WRITE ${control}/shlibs "${package_LIBRARY} ${PROJECT_VERSION_MAJOR} ${package_NAME} (>= ${PROJECT_VERSION})\n")
    configure_file(cmake/debian/${package_NAME}.symbols ${control}/symbols COPYONLY)
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${control}/triggers;${control}/shlibs;${control}/symbols")
  endif()

  string(REPLACE "${same}" "(= \${binary:Version})" depends "${package_DEPENDS};\${misc:Depends}")
  if(NOT ${component} STREQUAL "dev") # which has nothing that is linked
    list(APPEND depends "\${shlibs:Depends}")
  endif()
  list(REMOVE_ITEM depends "")
  list(JOIN depends ", " depends)
  list(POP_FRONT package_DESCRIPTION synopsis)
  list(JOIN package_DESCRIPTION "\n " text)
  string(APPEND debian_packages "\nPackage: ${package_NAME}\nArchitecture: any\nMulti-Arch: ${package_MULTIARCH}\n"
         "Section: ${package_SECTION}\nDepends: ${depends}\n")
  foreach(relation Recommends Suggests)
    string(TOUPPER ${relation} upper)
    if(package_${upper})
      string(APPEND debian_packages "${relation}: ${package_${upper}}\n")
    endif()
  endforeach()
  string(APPEND debian_packages "Description: ${synopsis}\n ${text}\n")
  string(APPEND debian_components "${component} ${package_NAME}\n")
endmacro()

set(same "(= ${PROJECT_VERSION})")
set(what "clgemm multiplies matrices of single precision on OpenCL devices:" "GPUs, and CPUs through PoCL.")
clgemm_package(library NAME libclgemm0 SECTION libs MULTIARCH same LIBRARY libclgemm RECOMMENDS "pocl-opencl-icd | opencl-icd"
  DESCRIPTION "tuned OpenCL SGEMM with a BLAS-style C API" ${what} "This package has the library, which programs load.")
set(doors "")
if(CLGEMM_BUILD_DOORS)
  clgemm_package(blas NAME libclgemm-blas0 SECTION libs MULTIARCH same LIBRARY libclgemm_blas DEPENDS "libclgemm0 ${same}"
    DESCRIPTION "SGEMM of CBLAS and Fortran programs by OpenCL" ${what}
      "This library comes before a BLAS and takes over those products that" "an OpenCL device computes faster.")
  clgemm_package(clblas NAME libclgemm-clblas0 SECTION libs MULTIARCH same LIBRARY libclgemm_clblas DEPENDS "libclgemm0 ${same}"
    DESCRIPTION "clBLAS's SGEMM, computed by clgemm" ${what}
      "This library takes the place of clBLAS in programs that are built already.")
  clgemm_package(clblast NAME libclgemm-clblast0 SECTION libs MULTIARCH same LIBRARY libclgemm_clblast DEPENDS "libclgemm0 ${same}"
    SUGGESTS "libclblast1"
    DESCRIPTION "CLBlast's SGEMM, computed by clgemm" ${what}
      "This library takes the place of CLBlast in programs that are built" "already.")
  set(doors ", libclgemm-blas0 ${same}, libclgemm-clblas0 ${same}, libclgemm-clblast0 ${same}")
endif()
clgemm_package(dev NAME libclgemm-dev SECTION libdevel MULTIARCH same
  DEPENDS "libclgemm0 ${same}${doors}, opencl-headers, ocl-icd-opencl-dev" RECOMMENDS "opencl-clhpp-headers"
  DESCRIPTION "tuned OpenCL SGEMM with a BLAS-style C API (development)" ${what}
    "This package has the headers, and what CMake and pkg-config know of the" "library.")
if(CLGEMM_BUILD_TOOLS)
  clgemm_package(tools NAME clgemm-tools SECTION utils MULTIARCH foreign DEPENDS "libclgemm0 ${same}"
    DESCRIPTION "look at and tune OpenCL devices for clgemm" ${what}
      "This package has clgemm-info, which shows devices and what is chosen for" "a product, clgemm-selftest, which checks and times a device,"
      "and clgemm-tune, which measures one.")
endif()
add_custom_target(source-package COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${PROJECT_BINARY_DIR}/packages
  -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/cmake/source_package.cmake VERBATIM)

# debian/ of the source package, but for what debian_source.cmake copies.
set(debian_homepage "")
if(CLGEMM_PACKAGE_HOMEPAGE)
  set(debian_homepage "Homepage: ${CLGEMM_PACKAGE_HOMEPAGE}\n")
endif()
configure_file(cmake/debian/control.in debian/control @ONLY)
file(WRITE ${PROJECT_BINARY_DIR}/debian/components "${debian_components}")
add_custom_target(debian-source COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DWORK=${PROJECT_BINARY_DIR}/packages
  -DVERSION=${PROJECT_VERSION} -DDEBIAN=${PROJECT_BINARY_DIR}/debian "-DCONTACT=${CLGEMM_PACKAGE_CONTACT}"
  -P ${PROJECT_SOURCE_DIR}/cmake/debian_source.cmake VERBATIM)
include(CPack)
