# The archive of the sources, the same bytes each time: what lies in a clone, without version control and what builds leave.
#   cmake -DSOURCE=folder -DWORK=folder -DVERSION=1.2.3 -P source_package.cmake     writes WORK/clgemm-1.2.3.tar.xz
set(name clgemm-${VERSION})
file(REMOVE_RECURSE ${WORK}/${name})
file(GLOB entries ${SOURCE}/* ${SOURCE}/.ci ${SOURCE}/.clang-format ${SOURCE}/.clang-tidy ${SOURCE}/.gitignore)
list(FILTER entries EXCLUDE REGEX "/(build|dist|shared|[.]git)$")
file(COPY ${entries} DESTINATION ${WORK}/${name} PATTERN __pycache__ EXCLUDE)
set(date 0)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(date $ENV{SOURCE_DATE_EPOCH})
endif()
execute_process(COMMAND tar --sort=name --mtime=@${date} --owner=0 --group=0 --numeric-owner -cJf ${name}.tar.xz ${name}
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${WORK}/${name})
