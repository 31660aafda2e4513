# The GPU's backend, a library that the core opens at run time (ops/backend.h):
# built where a CUDA compiler is, and needed by nothing.
set(WAVESIFT_CUDA AUTO CACHE STRING "CUDA backend: ON, OFF, or AUTO where there is a compiler")
set_property(CACHE WAVESIFT_CUDA PROPERTY STRINGS AUTO ON OFF)

file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS src/cuda/*.cu)
set(build_cuda ${WAVESIFT_CUDA})
if(WAVESIFT_CUDA STREQUAL "AUTO")
	# nvcc knows no sanitizers.
	set(build_cuda OFF)
	if(cuda_sources AND NOT WAVESIFT_SANITIZE AND NOT WAVESIFT_FUZZ
			AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
		include(CheckLanguage)
		check_language(CUDA)
		if(CMAKE_CUDA_COMPILER)
			set(build_cuda ON)
		endif()
	endif()
endif()
message(STATUS "CUDA backend: ${build_cuda}")
if(NOT build_cuda)
	return()
endif()

find_program(nvcc NAMES nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin REQUIRED)
include(cmake/cards.cmake)
# The demo is for this machine: without a GPU it has no use for the backend.
set(gpu_here ${present})

# Code for the cards that the compiler knows, and for later ones what the driver can translate.
# Cards of a family are translated together as far as that does not depend on the card; none has
# an instruction for the kernels that the first lacks.
set(for_cards)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
	foreach(family 75 80 "90 100 120")
		string(REPLACE " " ";" cards ${family})
		list(GET cards 0 first)
		list(TRANSFORM cards PREPEND sm_)
		set(codes)
		foreach(card ${cards})
			if(known MATCHES ${card})
				list(APPEND codes ${card})
			endif()
		endforeach()
		if(codes)
			list(JOIN codes "," code)
			list(APPEND for_cards
				--generate-code=arch=compute_${first},code=[${code}])
			set(newest compute_${first})
		endif()
	endforeach()
	list(APPEND for_cards --generate-code=arch=${newest},code=${newest})
	if(newest MATCHES "compute_(9|1..)")
		# Code for older families is for them alone: kernels that want more shared memory
		# than their cards have are left out (cuda/emd/block/machine.cuh).
		list(APPEND for_cards -DWSI_NO_LATER_CARDS)
	endif()
	set(CMAKE_CUDA_ARCHITECTURES OFF)
endif()
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3")
set(CMAKE_CUDA_FLAGS_RELWITHDEBINFO "-O3 -lineinfo")
enable_language(CUDA)

# Headers alone, the same for every machine: only they are taken from a folder that may hold this
# machine's own, too.
find_path(random123_in NAMES Random123/philox.h REQUIRED)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/random123)
file(CREATE_LINK ${random123_in}/Random123 ${PROJECT_BINARY_DIR}/random123/Random123 SYMBOLIC)

add_library(wavesift_cuda MODULE ${cuda_sources} src/base/progress.c
	src/base/fpenv.c)
target_include_directories(wavesift_cuda PRIVATE include src)
target_include_directories(wavesift_cuda SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/random123)
target_compile_options(wavesift_cuda PRIVATE $<$<COMPILE_LANGUAGE:C>:${numeric_flags}>
	"$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=-ffp-contract=off,-Wall;-Xfatbin=-compress-all;${for_cards}>")
set(map ${PROJECT_SOURCE_DIR}/cmake/backend.map)
target_link_options(wavesift_cuda PRIVATE LINKER:--version-script=${map},--as-needed)
set_target_properties(wavesift_cuda PROPERTIES LINK_DEPENDS ${map})
target_link_libraries(wavesift_cuda PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
if(NOT WAVESIFT_CORE_ONLY)
	install(TARGETS wavesift_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
	return()
endif()

# A package of bindings holds it: linked by the C compiler, which may have the stubs of an old glibc
# (scripts/wheels.sh), with the C++ library of the compiler that nvcc calls.  cuFFT is looked for
# where its own package puts it.
set(host_cxx ${CMAKE_CUDA_HOST_COMPILER})
if(NOT host_cxx)
	set(host_cxx g++)
endif()
foreach(library libstdc++.a libgcc_s.so.1)
	execute_process(COMMAND ${host_cxx} -print-file-name=${library} OUTPUT_VARIABLE path
		OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
	target_link_libraries(wavesift_cuda PRIVATE ${path})
endforeach()
target_sources(wavesift_cuda PRIVATE cmake/old_glibc.c)
set_target_properties(wavesift_cuda PROPERTIES LINKER_LANGUAGE C
	INSTALL_RPATH "\$ORIGIN/../nvidia/cu13/lib")
install(TARGETS wavesift_cuda LIBRARY DESTINATION ${WAVESIFT_PACKAGE} COMPONENT cuda)
