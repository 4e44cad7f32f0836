# Tests of the doors: programs that know nothing of clgemm, started in many environments.

# libclgemm_blas.so
add_library(doors_next_blas SHARED next_blas.cpp)
add_library(doors_failing_clgemm SHARED failing_clgemm.cpp)
target_include_directories(doors_failing_clgemm PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(doors_failing_clgemm PRIVATE OpenCL::OpenCL)

# One program with a BLAS behind the door, with none, and with one and a libclgemm that fails.
foreach(program blas_process blas_process_alone blas_process_failing)
  add_executable(${program} blas_process.cpp blas_routines.cpp ../../reference/guarded_matrix.cpp ${sanitizer_options})
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${program} PRIVATE clgemm_reference ${CMAKE_DL_LIBS})
  target_link_options(${program} PRIVATE -Wl,--no-as-needed) # where compilers leave out what no call needs
endforeach()
target_link_libraries(blas_process PRIVATE clgemm_blas doors_next_blas OpenCL::OpenCL clgemm_warnings)
target_link_libraries(blas_process_alone PRIVATE clgemm_blas OpenCL::OpenCL clgemm_warnings)
target_link_libraries(blas_process_failing PRIVATE
  doors_failing_clgemm clgemm_blas doors_next_blas OpenCL::OpenCL clgemm_warnings)

clgemm_add_test(blas_test doors blas_test.cpp ../process/run_process.cpp)
target_compile_definitions(blas_test PRIVATE
  DOOR="$<TARGET_FILE:clgemm_blas>" NEXT_BLAS="$<TARGET_FILE:doors_next_blas>" LIBCLGEMM="$<TARGET_FILE:clgemm>"
  BLAS_PROCESS="$<TARGET_FILE:blas_process>" BLAS_PROCESS_ALONE="$<TARGET_FILE:blas_process_alone>"
  BLAS_PROCESS_FAILING="$<TARGET_FILE:blas_process_failing>")
target_link_libraries(blas_test PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(blas_test clgemm_blas doors_next_blas blas_process blas_process_alone blas_process_failing)

# Other people's programs. (They know nothing of sanitizers, and cannot load a library that needs them.)
if(NOT CLGEMM_SANITIZE)
  clgemm_add_test(blas_programs_test doors blas_programs_test.cpp ../process/run_process.cpp)
  target_compile_definitions(blas_programs_test PRIVATE
    DOOR="$<TARGET_FILE:clgemm_blas>" SCRIPTS="${CMAKE_CURRENT_SOURCE_DIR}")
  add_dependencies(blas_programs_test clgemm_blas)

  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    add_executable(blas_fortran blas_fortran.f90)
    target_link_libraries(blas_fortran PRIVATE clgemm_blas)
    target_compile_definitions(blas_programs_test PRIVATE BLAS_FORTRAN="$<TARGET_FILE:blas_fortran>")
    add_dependencies(blas_programs_test blas_fortran)
  endif()

  clgemm_add_test(scalapack_test mpi scalapack_test.cpp ../process/run_process.cpp)
  find_program(mpirun mpirun)
  find_library(scalapack scalapack-openmpi)
  if(mpirun AND scalapack)
    add_executable(psgemm psgemm.cpp)
    target_include_directories(psgemm PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(psgemm PRIVATE clgemm_reference ${scalapack} OpenCL::OpenCL)
    target_compile_definitions(scalapack_test PRIVATE
      DOOR="$<TARGET_FILE:clgemm_blas>" PSGEMM="$<TARGET_FILE:psgemm>" MPIRUN="${mpirun}")
    add_dependencies(scalapack_test clgemm_blas psgemm)
  endif()
endif()
