# Whoever builds the same sources gets the same bytes, in whatever folder. Run as a script:
#   cmake -DSOURCE=folder -DWORK=folder -DGENERATOR=Ninja -DCC=cc -DCXX=c++ -P reproducible_test.cmake
# (Not optimised, to be quick: what differs by the folder are names, not instructions.)
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/../consumers/must.cmake)

set(ENV{CCACHE_DISABLE} 1) # it would give the second build what the first one made
set(folders ${WORK}/here ${WORK}/in/another/and/deeper/folder)
file(REMOVE_RECURSE ${WORK})
foreach(folder ${folders})
  foreach(part CMakeLists.txt LICENSE cmake doors include kernels licenses reference src timing tools tuning)
    file(COPY ${SOURCE}/${part} DESTINATION ${folder}/source)
  endforeach()
  must("configure" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${folder}/source -B ${folder}/build -DCMAKE_INSTALL_PREFIX=/usr
       -DCLGEMM_BUILD_TOOLS=ON -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
       "-DCMAKE_C_FLAGS_RELEASE=-O0 -DNDEBUG" "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG")
  must("build" ${CMAKE_COMMAND} --build ${folder}/build)
  must("install" ${CMAKE_COMMAND} -E env DESTDIR=${folder}/installed ${CMAKE_COMMAND} --install ${folder}/build)
endforeach()

list(GET folders 0 first)
list(GET folders 1 second)
file(GLOB_RECURSE files RELATIVE ${first}/installed ${first}/installed/*)
file(GLOB_RECURSE others RELATIVE ${second}/installed ${second}/installed/*)
if(NOT files STREQUAL others OR NOT files)
  message(FATAL_ERROR "One build installs ${files}, the other one ${others}")
endif()
foreach(file ${files})
  if(IS_SYMLINK ${first}/installed/${file})
    continue()
  endif()
  file(SHA256 ${first}/installed/${file} one)
  file(SHA256 ${second}/installed/${file} other)
  if(NOT one STREQUAL other)
    message(SEND_ERROR "${file} depends on the folder in which it was built")
  endif()
endforeach()
