# The man page and the shell completions, made from the tables of commands and options by a small
# program of the build (cli/docgen).
add_executable(docgen cli/docgen/docgen.c cli/command.c cli/options.c cli/headings.c)
target_include_directories(docgen PRIVATE src cli)
target_link_libraries(docgen PRIVATE wavesift_static)

set(documents)
foreach(document wavesift.1 wavesift.bash _wavesift)
	add_custom_command(OUTPUT ${document} COMMAND docgen ${document} > ${document}
		DEPENDS docgen VERBATIM)
	list(APPEND documents ${PROJECT_BINARY_DIR}/${document})
endforeach()
add_custom_target(documents ALL DEPENDS ${documents})

install(FILES ${PROJECT_BINARY_DIR}/wavesift.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
	COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/wavesift.bash RENAME wavesift
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/_wavesift
	DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
