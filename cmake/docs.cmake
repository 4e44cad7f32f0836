# The target `docs`: the API reference in docs/html of the build folder. A name without a comment stops it.
find_program(DOXYGEN doxygen)
mark_as_advanced(DOXYGEN)
if(DOXYGEN AND top_level)
  configure_file(cmake/Doxyfile.in Doxyfile @ONLY)
  add_custom_target(docs COMMAND ${DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM
                    COMMENT "API reference in ${PROJECT_BINARY_DIR}/docs/html")
endif()
