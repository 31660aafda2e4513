# The library alone, without a version in its name: it lies within the package of a binding, which
# opens it by its path.
add_library(wavesift SHARED $<TARGET_OBJECTS:core>)
target_link_libraries(wavesift PRIVATE m Threads::Threads ${CMAKE_DL_LIBS})
if(NOT APPLE)
	set(map ${PROJECT_SOURCE_DIR}/cmake/wavesift.map)
	set_target_properties(wavesift PROPERTIES LINK_DEPENDS ${map})
	target_link_options(wavesift PRIVATE -Wl,--version-script=${map})
endif()
set(WAVESIFT_PACKAGE "wavesift" CACHE STRING "folder of the package, below the prefix")
install(TARGETS wavesift LIBRARY DESTINATION ${WAVESIFT_PACKAGE})

# Of tests/check_python.sh and scripts/wheels.sh: digests of results by this compiler.  An sdist has
# no tests of C.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/tests/bits_digest.c)
	return()
endif()
add_executable(bits_digest EXCLUDE_FROM_ALL tests/bits_digest.c tests/helper_core.c)
target_include_directories(bits_digest PRIVATE include src tests)
target_compile_options(bits_digest PRIVATE ${numeric_flags})
target_link_libraries(bits_digest PRIVATE core m Threads::Threads ${CMAKE_DL_LIBS})
