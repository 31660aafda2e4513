# Ranks by MPI, a library that the program opens where a launcher has started several of it
# (src/mpi/ranks.h): built where MPI is, and needed by nothing.
set(WAVESIFT_MPI AUTO CACHE STRING "ranks by MPI: ON, OFF, or AUTO where MPI is")
set_property(CACHE WAVESIFT_MPI PROPERTY STRINGS AUTO ON OFF)

set(build_mpi ${WAVESIFT_MPI})
if(WAVESIFT_MPI STREQUAL "ON")
	find_package(MPI REQUIRED COMPONENTS C)
elseif(WAVESIFT_MPI STREQUAL "AUTO")
	# MPI keeps memory that a sanitizer would tell of.
	set(build_mpi OFF)
	if(NOT WAVESIFT_SANITIZE AND NOT WAVESIFT_FUZZ)
		find_package(MPI QUIET COMPONENTS C)
		set(build_mpi ${MPI_C_FOUND})
	endif()
endif()
message(STATUS "MPI: ${build_mpi}")
if(NOT build_mpi)
	return()
endif()

add_library(wavesift_mpi MODULE src/mpi/mpi.c)
target_include_directories(wavesift_mpi PRIVATE src)
target_link_libraries(wavesift_mpi PRIVATE MPI::MPI_C)
install(TARGETS wavesift_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
