# Debian's source package: the archive of the sources as its original, and debian/ made of cmake/debian/. The binary packages
# that it says are those of packages.cmake, which writes control and components.
#   cmake -DSOURCE=folder -DWORK=folder -DVERSION=1.2.3 -DDEBIAN=folder -DCONTACT="Name <address>" -P debian_source.cmake
#         writes WORK/clgemm_1.2.3-0upstream1.dsc, and the two archives that it names; DEBIAN has control and components
include(${CMAKE_CURRENT_LIST_DIR}/source_package.cmake) # of the same SOURCE, WORK and VERSION
file(RENAME ${WORK}/${name}.tar.xz ${WORK}/clgemm_${VERSION}.orig.tar.xz)
execute_process(COMMAND tar xJf clgemm_${VERSION}.orig.tar.xz WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
set(debian ${WORK}/${name}/debian)
file(COPY ${DEBIAN}/control ${DEBIAN}/components ${SOURCE}/cmake/debian/rules ${SOURCE}/cmake/debian/copyright
     DESTINATION ${debian})
set(CPACK_PACKAGE_VERSION ${VERSION}-0upstream1) # so that a package of Debian's own, whose first is -1, is newer
set(CPACK_PACKAGE_CONTACT "${CONTACT}")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where the environment has it, else now
configure_file(${SOURCE}/cmake/debian/changelog.in ${debian}/changelog @ONLY)
file(GLOB symbols ${SOURCE}/cmake/debian/*.symbols)
file(COPY ${symbols} DESTINATION ${debian})
file(WRITE ${debian}/source/format "3.0 (quilt)\n")
file(WRITE ${debian}/libclgemm-dev.docs "README.md\n")
file(WRITE ${debian}/libclgemm-dev.examples "examples/0*\n")
execute_process(COMMAND dpkg-source --build ${name} WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${WORK}/${name})
