# One cmocka program for each tests/test_*.c, the shell tests of tests/cli, checks of the tree, fuzz
# targets, benchmarks.  Labels: fast; slow, what takes more than some ten seconds of a core; gpu,
# tests/test_gpu*.c.
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
pkg_check_modules(MATIO IMPORTED_TARGET matio)
find_library(EDFLIB NAMES edf)

set(test_env "WAVESIFT_SOURCE=${PROJECT_SOURCE_DIR}" "WAVESIFT_BUILD=${PROJECT_BINARY_DIR}"
	"LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")

# Slow programs, and those among them that can be thinned to a part of their cases.
set(slow_programs test_bits test_cancel test_conv test_cwt_padding test_faults test_hht_lanes
	test_hostile test_invariance test_joint test_kernels test_math test_memd test_memd_invariance
	test_neighbours)
set(slow_scripts check_aarch64 check_adding check_cuda check_sdist cli_test_gallery cli_test_slurm
	cli_test_checkpoint_killed)
set(thinned_programs test_bits test_cancel test_joint test_kernels test_math test_memd
	test_neighbours)

# What a sanitizer finds nothing in is not built for one: checks of the tree, or of what they build
# by themselves; tests of a GPU; those that need a stack, memory or an allocator of their own, or
# that other tests do in less time; those of numbers that take minutes.  That of threads has nothing
# to do where there is one; of the checks it has examples and races.
set(left_out "nothing")
if(WAVESIFT_SANITIZE)
	string(CONCAT left_out "check_(aarch64|adding|bits|cuda|cuts|docs|exports|functions|header|"
		"includes|install|julia|packaging|python|sdist|validation|walks|words)|"
		"test_(cwt_(padding|significance)|faults|gpu.*|hostile|memd)|"
		"cli_test_(checkpoint_killed|gallery|gpu|ranks.*|slurm)")
endif()
if(WAVESIFT_SANITIZE MATCHES "thread")
	string(APPEND left_out "|check_[^er].*|fuzz_.*|test_(io|plot)_.*|"
		"cli_test_(checkpoint|damaged|killed|reading)")
endif()

# I/N: of all tests every N-th alone is built and run, from the I-th.
set(WAVESIFT_TEST_SHARE "1/1" CACHE STRING "I/N: of the tests every N-th, from the I-th")
string(REGEX REPLACE "/.*" "" share_part "${WAVESIFT_TEST_SHARE}")
string(REGEX REPLACE ".*/" "" share_parts "${WAVESIFT_TEST_SHARE}")
set_property(GLOBAL PROPERTY tests_counted 0)

# Is the next test of another share?
function(of_another_share result)
	get_property(count GLOBAL PROPERTY tests_counted)
	math(EXPR count "${count} + 1")
	set_property(GLOBAL PROPERTY tests_counted ${count})
	math(EXPR apart "(${count} - ${share_part}) % ${share_parts}")
	set(${result} ${apart} PARENT_SCOPE)
endfunction()

# Those that take ten seconds of a core or more, the longest first: begun first, they do not run alone
# at the end.
set(long_tests check_aarch64 test_hostile test_faults test_memd test_bits test_hht_lanes
	test_invariance test_kernels test_joint test_cancel check_adding test_cwt_padding
	check_sdist test_conv cli_test_slurm check_races check_python cli_test_ranks
	cli_test_checkpoint test_outputs cli_test_redraw test_kernels_thinned test_cancel_thinned
	cli_test_ranks_files test_memd_thinned test_cwt test_superlets cli_test_cwt check_bits
	cli_test_killed cli_test_damaged test_bits_thinned)

# Seconds after which a test is taken for one that hangs.
set(longest 900)
if(WAVESIFT_SANITIZE)
	set(longest 1800)
endif()

# name, label, command..: a test; what it leaves out shows as skipped.
function(add_told_test name label)
	add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/tell_skips.sh ${ARGN})
	set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_env}" TIMEOUT ${longest}
		LABELS "${label}" SKIP_RETURN_CODE 77)
	if(label STREQUAL "gpu")
		set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)
	endif()
	if(name IN_LIST long_tests)
		list(FIND long_tests ${name} place)
		math(EXPR cost "1000 - ${place}")
		set_tests_properties(${name} PROPERTIES COST ${cost})
	endif()
endfunction()

# Of a program.
function(add_program_test name)
	of_another_share(away)
	if(away)
		set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
		return()
	endif()
	set(label fast)
	if(name MATCHES "^test_gpu")
		set(label gpu)
	elseif(name IN_LIST slow_programs)
		set(label slow)
	endif()
	add_told_test(${name} ${label} $<TARGET_FILE:${name}>)
	if(name IN_LIST thinned_programs)
		add_told_test(${name}_thinned fast $<TARGET_FILE:${name}>)
		set_property(TEST ${name}_thinned APPEND PROPERTY ENVIRONMENT WAVESIFT_FAST=1)
	endif()
endfunction()

if(CMOCKA_FOUND)
	file(GLOB test_sources CONFIGURE_DEPENDS tests/test_*.c)
	file(GLOB helper_sources CONFIGURE_DEPENDS tests/helper_*.c)
	add_library(test_helpers STATIC ${helper_sources})
	target_include_directories(test_helpers PRIVATE include src tests)
	# Tests compare bits with the core, so they compute as it does.
	target_compile_options(test_helpers PRIVATE -ffp-contract=off)
	target_compile_definitions(test_helpers PRIVATE WAVESIFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
	target_link_libraries(test_helpers PRIVATE ${libs} PkgConfig::CMOCKA)
	foreach(source ${test_sources})
		cmake_path(GET source STEM name)
		if(name MATCHES "^(${left_out})$")
			continue()
		endif()
		add_executable(${name} ${source})
		target_include_directories(${name} PRIVATE include src tests)
		target_compile_options(${name} PRIVATE -ffp-contract=off)
		target_compile_definitions(${name} PRIVATE
			WAVESIFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
		target_link_libraries(${name} PRIVATE test_helpers ${libs} PkgConfig::CMOCKA PkgConfig::HDF5 ${HDF5_HL}
			PkgConfig::MATIO PkgConfig::SNDFILE PkgConfig::LIBZIP PkgConfig::NETTLE
			PkgConfig::JANSSON PkgConfig::CAIRO)
		add_dependencies(${name} wavesift_decode)
		if(EDFLIB)
			target_link_libraries(${name} PRIVATE ${EDFLIB})
		endif()
		add_program_test(${name})
	endforeach()
	# What the decoder gives up is tried out in the test's own process.
	if(TARGET test_io_decoder)
		target_sources(test_io_decoder PRIVATE src/decode/lockdown.c)
	endif()
	if(TARGET test_hostile)
		target_sources(test_hostile PRIVATE tests/hostile/run.c tests/hostile/files.c
			tests/hostile/masks.c tests/hostile/odd.c tests/hostile/arrays.c)
		# Sanitizers want to be the first library.
		if(NOT WAVESIFT_SANITIZE)
			add_library(starter MODULE tests/starter/serve.c)
			target_link_libraries(starter PRIVATE ${CMAKE_DL_LIBS})
			set_target_properties(starter PROPERTIES
				LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/starter)
			add_dependencies(test_hostile starter)
		endif()
		add_dependencies(test_hostile wavesift_cli)
	endif()
	foreach(name test_io_decoder test_hostile)
		if(SECCOMP_FOUND AND TARGET ${name})
			target_compile_definitions(${name} PRIVATE WSI_HAVE_SECCOMP)
			target_link_libraries(${name} PRIVATE PkgConfig::SECCOMP)
		endif()
	endforeach()
	# The program with calls that fail.
	if(TARGET test_faults AND NOT WAVESIFT_FUZZ)
		add_library(faults MODULE tests/faults/faults.c tests/starter/serve.c)
		target_include_directories(faults PRIVATE tests)
		target_compile_options(faults PRIVATE -fno-builtin)
		target_link_libraries(faults PRIVATE ${CMAKE_DL_LIBS})
		set_target_properties(faults PROPERTIES
			LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
		add_dependencies(test_faults faults wavesift_cli)
		# A file system without locks.
		add_library(no_locks MODULE tests/faults/no_locks.c)
		target_link_libraries(no_locks PRIVATE ${CMAKE_DL_LIBS})
		set_target_properties(no_locks PROPERTIES PREFIX ""
			LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
	endif()
	# Knows the program's options by their table.
	target_sources(test_outputs PRIVATE cli/command.c cli/options.c)
	target_include_directories(test_outputs PRIVATE cli)
	add_dependencies(test_outputs wavesift_cli)
	# The case that may be skipped is a test of its own, so that the others count as passed.
	if(TEST test_outputs)
		add_told_test(test_outputs_letters fast $<TARGET_FILE:test_outputs> letters)
	endif()
	target_sources(test_ranks_cores PRIVATE cli/ranks_cores.c)
	target_include_directories(test_ranks_cores PRIVATE cli)
	add_dependencies(test_dry_run wavesift_cli)
	add_dependencies(test_redraw_missing wavesift_cli)
	# Stands beside a program in the place of the GPU's backend.
	add_library(fake_backend MODULE tests/fake_backend.c)
	target_include_directories(fake_backend PRIVATE include src)
	target_link_libraries(fake_backend PRIVATE wavesift_static)
	set_target_properties(fake_backend PROPERTIES OUTPUT_NAME wavesift_cuda
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake)
	foreach(program test_device test_device_shared test_device_work)
		set_target_properties(${program} PROPERTIES
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fake)
		add_dependencies(${program} fake_backend)
	endforeach()
	# The GPU's copies are C++; here with a stand-in for its runtime.
	include(CheckLanguage)
	check_language(CXX)
	if(NOT CMAKE_CXX_COMPILER)
		message(WARNING "no C++ compiler: test_transfer and test_kernels are left out")
	elseif(NOT WAVESIFT_FUZZ)
		enable_language(CXX)
		find_package(Threads REQUIRED)
		add_executable(test_transfer tests/test_transfer.cpp)
		set_target_properties(test_transfer PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF)
		target_include_directories(test_transfer PRIVATE tests/fake_cuda include src)
		target_compile_options(test_transfer PRIVATE -Wall -Wextra)
		target_link_libraries(test_transfer PRIVATE PkgConfig::CMOCKA Threads::Threads)
		add_program_test(test_transfer)
		# So are its kernels, whose lanes are fibers here; sanitizers do not know these.
		include(CheckCXXCompilerFlag)
		check_cxx_compiler_flag(-fno-extern-tls-init HAS_NO_EXTERN_TLS_INIT)
		if(HAS_NO_EXTERN_TLS_INIT AND NOT WAVESIFT_SANITIZE)
			add_executable(test_kernels tests/test_kernels.cpp)
			set_target_properties(test_kernels PROPERTIES CXX_STANDARD 17)
			target_include_directories(test_kernels PRIVATE tests/lanes include src tests)
			# Less optimised it is made in half the time, and takes no longer.
			target_compile_options(test_kernels PRIVATE -O1 -ffp-contract=off
				-U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:-fno-extern-tls-init>)
			target_link_libraries(test_kernels PRIVATE test_helpers ${libs} PkgConfig::CMOCKA Threads::Threads)
			add_program_test(test_kernels)
			add_executable(test_cwt_passes tests/test_cwt_passes.cpp)
			set_target_properties(test_cwt_passes PROPERTIES CXX_STANDARD 17)
			target_include_directories(test_cwt_passes PRIVATE tests/lanes include src tests)
			target_include_directories(test_cwt_passes SYSTEM PRIVATE ${RANDOM123})
			target_compile_options(test_cwt_passes PRIVATE -ffp-contract=off
				-U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:-fno-extern-tls-init>)
			target_link_libraries(test_cwt_passes PRIVATE PkgConfig::CMOCKA
				Threads::Threads)
			add_program_test(test_cwt_passes)
			add_executable(test_cwt_edges tests/test_cwt_edges.cpp)
			set_target_properties(test_cwt_edges PROPERTIES CXX_STANDARD 17)
			target_include_directories(test_cwt_edges PRIVATE tests/lanes include src tests)
			target_compile_options(test_cwt_edges PRIVATE -ffp-contract=off
				-U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:-fno-extern-tls-init>)
			target_link_libraries(test_cwt_edges PRIVATE test_helpers ${libs}
				PkgConfig::CMOCKA Threads::Threads)
			add_program_test(test_cwt_edges)
			# A backend of which the GPU's code for spectra is such fibers.
			add_library(lanes_backend MODULE tests/fake_backend.c
				tests/lanes/hht_backend.cpp)
			set_target_properties(lanes_backend PROPERTIES CXX_STANDARD 17
				OUTPUT_NAME wavesift_cuda
				LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lanes)
			target_include_directories(lanes_backend PRIVATE tests/lanes include src)
			target_compile_definitions(lanes_backend PRIVATE FAKE_TRANSFORM)
			target_compile_options(lanes_backend PRIVATE -ffp-contract=off
				-U_FORTIFY_SOURCE $<$<COMPILE_LANGUAGE:CXX>:-fno-extern-tls-init>)
			target_link_libraries(lanes_backend PRIVATE wavesift_static Threads::Threads)
			add_executable(test_hht_lanes tests/test_gpu_hht.c)
			set_target_properties(test_hht_lanes PROPERTIES
				RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lanes)
			target_include_directories(test_hht_lanes PRIVATE include src tests)
			target_compile_options(test_hht_lanes PRIVATE -ffp-contract=off)
			target_compile_definitions(test_hht_lanes PRIVATE HHT_LANES)
			target_link_libraries(test_hht_lanes PRIVATE test_helpers ${libs} PkgConfig::CMOCKA)
			add_dependencies(test_hht_lanes lanes_backend)
			add_program_test(test_hht_lanes)
		elseif(NOT WAVESIFT_SANITIZE)
			message(WARNING "the C++ compiler has no -fno-extern-tls-init: test_kernels and test_hht_lanes are left out")
		endif()
	endif()
else()
	message(WARNING "no cmocka: the C tests are left out")
endif()

# What check_callers.sh runs: one source, compiled with an older header, today's, and one of the
# future (tests/header_ages.sh).
file(GLOB public_headers CONFIGURE_DEPENDS include/wavesift/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers} tests/header_ages.sh)
set(header_older ${PROJECT_BINARY_DIR}/older_header)
set(header_newer ${PROJECT_BINARY_DIR}/newer_header)
execute_process(COMMAND bash ${PROJECT_SOURCE_DIR}/tests/header_ages.sh ${header_older} ${header_newer}
	COMMAND_ERROR_IS_FATAL ANY)
set(header_today ${PROJECT_SOURCE_DIR}/include)
foreach(age older today newer)
	add_executable(caller_${age} tests/caller.c)
	# Before those that come with the library.
	target_include_directories(caller_${age} BEFORE PRIVATE ${header_${age}})
	target_link_libraries(caller_${age} PRIVATE wavesift)
endforeach()
target_compile_definitions(caller_newer PRIVATE NEWER)

# What check_examples.sh runs.
file(GLOB example_sources CONFIGURE_DEPENDS examples/*.c)
foreach(source ${example_sources})
	cmake_path(GET source STEM name)
	# One is of arrays in a GPU's memory; elsewhere check_examples.sh looks at its syntax.
	if(name STREQUAL "device")
		if(NOT TARGET wavesift_cuda)
			continue()
		endif()
		find_package(CUDAToolkit REQUIRED)
	endif()
	add_executable(example_${name} ${source})
	target_link_libraries(example_${name} PRIVATE wavesift m)
	if(name STREQUAL "device")
		target_link_libraries(example_${name} PRIVATE CUDA::cudart)
	endif()
	set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
		RUNTIME_OUTPUT_DIRECTORY examples)
endforeach()

# What check_races.sh runs besides them.
add_executable(two_threads tests/two_threads.c)
target_link_libraries(two_threads PRIVATE wavesift m Threads::Threads)

# The program and its documents with one row more: docs/adding-a-transform.md.
add_executable(wavesift_rms tests/moving_rms.c)
target_link_libraries(wavesift_rms PRIVATE cli)
add_executable(docgen_rms tests/moving_rms.c cli/docgen/docgen.c cli/command.c cli/options.c
	cli/headings.c)
target_include_directories(docgen_rms PRIVATE src cli)
target_link_libraries(docgen_rms PRIVATE wavesift_static)

# What test_ranks.sh compares results by, and counts with.
add_executable(same_result tests/same_result.c)
target_link_libraries(same_result PRIVATE PkgConfig::HDF5)
add_executable(ranks_counter tests/ranks_counter.c)
target_include_directories(ranks_counter PRIVATE src)
target_link_libraries(ranks_counter PRIVATE ${CMAKE_DL_LIBS})

file(GLOB shell_tests CONFIGURE_DEPENDS tests/check_*.sh tests/cli/test_*.sh)
foreach(script ${shell_tests})
	cmake_path(GET script STEM name)
	if(script MATCHES "/cli/")
		string(PREPEND name "cli_")
	endif()
	set(label fast)
	if(name STREQUAL "cli_test_gpu")
		set(label gpu)
	elseif(name IN_LIST slow_scripts OR
			(name STREQUAL "check_races" AND NOT WAVESIFT_SANITIZE))
		set(label slow)
	endif()
	if(name MATCHES "^(${left_out})$")
		continue()
	endif()
	of_another_share(away)
	if(away)
		continue()
	endif()
	add_told_test(${name} ${label} bash ${script})
endforeach()

# Without an engine, fuzz/replay.c runs a target over its corpus, as a test.  With one, targets are
# built from the readers alone, which is soon done.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.c)
set(fuzz_libs ${libs})
if(WAVESIFT_FUZZ)
	file(GLOB base_sources CONFIGURE_DEPENDS src/base/*.c)
	add_library(readers STATIC ${io_sources} ${base_sources})
	target_include_directories(readers PRIVATE include src)
	target_include_directories(readers SYSTEM PRIVATE ${RANDOM123})
	target_compile_options(readers PRIVATE ${numeric_flags})
	target_link_libraries(readers PUBLIC ${HDF5_HL} PkgConfig::HDF5
		PkgConfig::SNDFILE PkgConfig::LIBZIP PkgConfig::ZLIB PkgConfig::NETTLE PkgConfig::JANSSON
		m Threads::Threads ${CMAKE_DL_LIBS})
	set(fuzz_libs readers)
	# What makes inputs is no part of what is looked at.
	set_source_files_properties(fuzz/mutate.c fuzz/mutate_hdf5.c fuzz/mutate_mat5.c PROPERTIES
		COMPILE_OPTIONS -fno-sanitize=all)
endif()
add_custom_target(fuzz_targets)
foreach(source ${fuzz_sources})
	cmake_path(GET source STEM name)
	string(REGEX REPLACE "^fuzz_" "" format ${name})
	if(WAVESIFT_FUZZ)
		add_executable(${name} ${source})
		target_link_options(${name} PRIVATE ${WAVESIFT_FUZZ_ENGINE})
		# Where OSS-Fuzz runs it its libraries lie beside it.
		set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/lib")
		if(format MATCHES "^(hdf5|mat|eeglab|result|masks)$")
			target_sources(${name} PRIVATE fuzz/mutate.c fuzz/mutate_hdf5.c
				fuzz/mutate_mat5.c)
			target_link_libraries(${name} PRIVATE PkgConfig::ZLIB)
		endif()
	elseif(name MATCHES "^(${left_out})$")
		continue()
	else()
		add_executable(${name} ${source} fuzz/replay.c)
		add_test(NAME ${name}
			COMMAND ${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${format})
		set_tests_properties(${name} PROPERTIES LABELS fast TIMEOUT 300)
	endif()
	target_include_directories(${name} PRIVATE include src fuzz)
	target_link_libraries(${name} PRIVATE ${fuzz_libs})
	add_dependencies(fuzz_targets ${name})
endforeach()

# The same bits on every machine: check_bits.sh, on a GPU too.
add_executable(bits_digest tests/bits_digest.c tests/helper_core.c)
target_include_directories(bits_digest PRIVATE include src tests)
target_compile_options(bits_digest PRIVATE -ffp-contract=off)
target_compile_definitions(bits_digest PRIVATE WAVESIFT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(bits_digest PRIVATE wavesift_static)
add_told_test(gpu_check_bits gpu bash ${PROJECT_SOURCE_DIR}/tests/check_bits.sh cuda)
add_told_test(check_python_types slow
	bash ${PROJECT_SOURCE_DIR}/tests/check_python.sh test_typing.py)
add_told_test(gpu_check_python gpu bash ${PROJECT_SOURCE_DIR}/tests/check_python.sh test_gpu.py)

if(WAVESIFT_BENCH)
	# limits.c measures multiply-adds, which elsewhere are never contracted.
	set_source_files_properties(bench/limits.c PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)
	add_library(bench OBJECT bench/bench.c bench/limits.c bench/ours.c)
	add_library(ours MODULE bench/peers_ours.c)
	foreach(program slots emd peers cwt conv)
		if(program MATCHES "^(cwt|conv)$")
			add_executable(bench_${program} bench/${program}/${program}.c)
		else()
			add_executable(bench_${program} bench/${program}.c)
		endif()
		set_target_properties(bench_${program} PROPERTIES OUTPUT_NAME ${program})
	endforeach()
	add_executable(bench_conv_tables bench/conv/tables.c)
	set_target_properties(bench_conv_tables PROPERTIES OUTPUT_NAME conv_tables)
	add_executable(bench_conv_instrument bench/conv/instrument.c)
	set_target_properties(bench_conv_instrument PROPERTIES OUTPUT_NAME conv_instrument)
	target_link_libraries(bench_conv_instrument PRIVATE wavesift_plot PkgConfig::CAIRO)
	foreach(target bench ours bench_slots bench_emd bench_peers bench_cwt bench_conv
			bench_conv_tables bench_conv_instrument)
		target_include_directories(${target} PRIVATE include src bench)
		target_link_libraries(${target} PRIVATE wavesift_static PkgConfig::JANSSON ${CMAKE_DL_LIBS})
		if(NOT target STREQUAL "bench")
			target_link_libraries(${target} PRIVATE bench)
		endif()
		set_target_properties(${target} PROPERTIES PREFIX ""
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench
			LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
	endforeach()
	# Hilbert-Huang spectra beside FFTW and, on a GPU, beside cuFFT.
	pkg_check_modules(FFTW REQUIRED IMPORTED_TARGET fftw3)
	add_executable(bench_hht_one_core bench/hht/one_core.c)
	set_target_properties(bench_hht_one_core PROPERTIES OUTPUT_NAME hht_one_core
		RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
	target_include_directories(bench_hht_one_core PRIVATE bench)
	target_link_libraries(bench_hht_one_core PRIVATE wavesift_static PkgConfig::FFTW
		${CMAKE_DL_LIBS})
	if(TARGET wavesift_cuda)
		find_package(CUDAToolkit REQUIRED)
		add_executable(bench_hht_analysis bench/hht/analysis.cu)
		set_target_properties(bench_hht_analysis PROPERTIES OUTPUT_NAME hht_analysis
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
		target_include_directories(bench_hht_analysis PRIVATE bench)
		target_link_libraries(bench_hht_analysis PRIVATE wavesift_static CUDA::cufft
			${CMAKE_DL_LIBS})
	endif()
	# Convolution on a GPU: gpu, gpu_tables and tensor of bench/conv.
	if(TARGET wavesift_cuda)
		foreach(program gpu gpu_tables tensor)
			add_executable(bench_conv_${program} bench/conv/${program}.cu)
			target_include_directories(bench_conv_${program} PRIVATE include src bench)
			target_include_directories(bench_conv_${program} SYSTEM PRIVATE ${RANDOM123})
			target_compile_options(bench_conv_${program} PRIVATE --fmad=false)
			target_link_libraries(bench_conv_${program} PRIVATE wavesift_static
				${CMAKE_DL_LIBS})
			set_target_properties(bench_conv_${program} PROPERTIES
				OUTPUT_NAME conv_${program}
				RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
		endforeach()
		target_sources(bench_conv_gpu_tables PRIVATE src/cuda/conv/masks.cu)
		# mma in f64 of all shapes.
		set_target_properties(bench_conv_tensor PROPERTIES CUDA_ARCHITECTURES 90)
	endif()
	# The backend lies beside the program that opens it.
	if(TARGET wavesift_cuda)
		add_custom_command(TARGET wavesift_cuda POST_BUILD COMMAND ${CMAKE_COMMAND} -E
			create_symlink $<TARGET_FILE:wavesift_cuda>
			${PROJECT_BINARY_DIR}/bench/$<TARGET_FILE_NAME:wavesift_cuda>)
		add_dependencies(bench wavesift_cuda)
		# Beside cuFFT, which it links; the backend opens it where it is.
		find_package(CUDAToolkit REQUIRED)
		foreach(program gpu radix)
			add_executable(bench_cwt_${program} bench/cwt/${program}.cu)
			set_target_properties(bench_cwt_${program} PROPERTIES
				OUTPUT_NAME cwt_${program}
				RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
			target_compile_options(bench_cwt_${program} PRIVATE
				"$<$<COMPILE_LANGUAGE:CUDA>:${for_cards}>")
			target_include_directories(bench_cwt_${program} PRIVATE include bench)
			target_link_libraries(bench_cwt_${program} PRIVATE wavesift_static
				CUDA::cufft)
			add_dependencies(bench_cwt_${program} wavesift_cuda)
		endforeach()
	endif()
endif()
