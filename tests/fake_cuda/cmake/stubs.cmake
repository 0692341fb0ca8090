# Script mode: writes to OUT an assembly file with a weak function for everything that the real LIBRARY exports. What
# the double defines itself is strong and wins; the rest ends the process by name. NAME is the library's name for people.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [TW] [A-Za-z_][A-Za-z_0-9]*" functions "${symbols}")
set(text ".section .rodata\n.Llibrary: .string \"${NAME}\"\n.section .note.GNU-stack,\"\",@progbits\n")
foreach(function IN LISTS functions)
  string(SUBSTRING "${function}" 3 -1 function)
  if(function MATCHES "^(_init|_fini)$")
    continue()
  endif()
  string(APPEND text ".section .rodata\n.Lname_${function}: .string \"${function}\"\n.text\n"
                     ".weak ${function}\n.type ${function},@function\n${function}:\n"
                     "  leaq .Lname_${function}(%rip),%rdi\n  leaq .Llibrary(%rip),%rsi\n  jmp fake_unfaked@PLT\n")
endforeach()
file(WRITE ${OUT} "${text}")
