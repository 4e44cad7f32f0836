# Runs a command that must succeed; what it prints is in ${output}.
macro(must purpose)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "Cannot ${purpose}: ${result}\n${command}\n${output}${errors}")
  endif()
endmacro()
