# What Debian wants of each package and an installation elsewhere does not have: the licences (`copyright`, and SPDX's file of
# them) and the changes in a folder of the package's name, compressed manual pages, and what lintian need not say. Where the
# headers are, README and examples are, too. CPack runs this on the installed components before it packs them.
function(compress file)
  execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(source "${CMAKE_CURRENT_LIST_DIR}/..")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where the environment has it, else now
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr")
  set(doc "${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  configure_file("${source}/cmake/debian/copyright" "${doc}/copyright" COPYONLY)
  file(COPY "${CPACK_PACKAGE_DIRECTORY}/../clgemm.spdx.json" DESTINATION "${doc}")
  configure_file("${source}/cmake/debian/changelog.in" "${doc}/changelog" @ONLY)
  compress("${doc}/changelog")
  if(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA) # of a library, for which CPack writes scripts besides the trigger
    file(WRITE "${root}/share/lintian/overrides/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}"
         "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}: maintscript-calls-ldconfig\n")
  endif()
  if(component STREQUAL "dev")
    file(COPY "${source}/README.md" DESTINATION "${doc}")
    file(GLOB examples "${source}/examples/0*")
    file(COPY ${examples} DESTINATION "${doc}/examples")
  endif()
  file(GLOB pages "${root}/share/man/man1/*.1")
  foreach(page IN LISTS pages)
    compress("${page}")
  endforeach()
endforeach()
