# The library alone, without a version in its name: it lies within the package of a binding, which
# opens it by its path.
add_library(wavesift SHARED $<TARGET_OBJECTS:core>)
target_link_libraries(wavesift PRIVATE m Threads::Threads ${CMAKE_DL_LIBS})
if(NOT APPLE AND NOT WIN32)
	set(map ${PROJECT_SOURCE_DIR}/cmake/wavesift.map)
	set_target_properties(wavesift PROPERTIES LINK_DEPENDS ${map})
	target_link_options(wavesift PRIVATE -Wl,--version-script=${map})
endif()
set(WAVESIFT_PACKAGE "wavesift" CACHE STRING "folder of the package, below the prefix")
install(TARGETS wavesift LIBRARY DESTINATION ${WAVESIFT_PACKAGE}
	RUNTIME DESTINATION ${WAVESIFT_PACKAGE})

# Of tests/check_python.sh and scripts/wheels.sh: digests of results by this compiler.  An sdist has
# no tests of C.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/tests/bits_digest.c)
	return()
endif()
add_executable(bits_digest EXCLUDE_FROM_ALL tests/bits_digest.c tests/helper_core.c)
target_include_directories(bits_digest PRIVATE include src tests)
target_compile_options(bits_digest PRIVATE ${numeric_flags})
target_link_libraries(bits_digest PRIVATE core m Threads::Threads ${CMAKE_DL_LIBS})

# Tests of the core for another system, with cmocka's sources: the target core_tests, of what needs
# neither files nor a GPU, nor minutes.
set(WAVESIFT_CMOCKA "" CACHE PATH "cmocka's sources, for tests of the core")
if(NOT WAVESIFT_CMOCKA)
	return()
endif()
add_library(cmocka STATIC EXCLUDE_FROM_ALL ${WAVESIFT_CMOCKA}/src/cmocka.c)
target_include_directories(cmocka PUBLIC ${WAVESIFT_CMOCKA}/include)
target_compile_definitions(cmocka PRIVATE HAVE_INTTYPES_H HAVE_SIGNAL_H HAVE_STRUCT_TIMESPEC
	HAVE_GCC_THREAD_LOCAL_STORAGE)
target_compile_options(cmocka PRIVATE -w)
file(GLOB helpers tests/helper_*.c)
list(FILTER helpers EXCLUDE REGEX "cuda|gpu")
add_library(test_helpers STATIC EXCLUDE_FROM_ALL ${helpers})
target_include_directories(test_helpers PRIVATE include src tests)
target_compile_definitions(test_helpers PRIVATE WAVESIFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_compile_options(test_helpers PRIVATE ${numeric_flags})
target_link_libraries(test_helpers PUBLIC cmocka)
add_custom_target(core_tests)
foreach(name abuse akima alignment api bands barrier contract conv_masks crc32
		cwt_calls directions execution hht hht_calls hht_holo hht_levels
		hht_trials mode_figures nearest options run teams transform trials)
	add_executable(core_${name} EXCLUDE_FROM_ALL tests/test_${name}.c)
	target_include_directories(core_${name} PRIVATE include src tests)
	target_compile_definitions(core_${name} PRIVATE WAVESIFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
	target_compile_options(core_${name} PRIVATE ${numeric_flags})
	target_link_libraries(core_${name} PRIVATE test_helpers core m Threads::Threads ${CMAKE_DL_LIBS})
	add_dependencies(core_tests core_${name})
endforeach()
