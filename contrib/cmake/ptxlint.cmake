# ptxlint.cmake -- checks the PTX of a CUDA target. Needs CMake 3.18 and the language CUDA.
#
#   include(ptxlint)
#   ptxlint_check(TARGET
#       [ARCHITECTURE 90]           # default: the first of the target's CUDA_ARCHITECTURES
#       [GPU h200...] [LAUNCH launches.json] [PRESET perf] [BASELINE known.json] [BUDGET budget.yaml]
#       [SARIF found.sarif]
#       [OPTIONS ...])              # further options of ptxlint
#
# Makes the target TARGET-ptxlint, which compiles the target's .cu files to PTX with -lineinfo, by the target's own options, and
# runs ptxlint on them; and ptxlint-check, which does it for all targets. With testing enabled there is also a test of that name.
# The program is PTXLINT_EXECUTABLE, found in PATH by default.
include_guard(GLOBAL)

find_program(PTXLINT_EXECUTABLE ptxlint DOC "the program ptxlint")

# The .cu files of a target, with what they are compiled by, as PTX.
function(_ptxlint_add_ptx name target architecture)
    get_target_property(all ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    set(sources "")
    foreach(source IN LISTS all)
        if(source MATCHES "\\.cu$")
            get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
            list(APPEND sources "${source}")
        endif()
    endforeach()
    if(NOT sources)
        message(FATAL_ERROR "ptxlint_check: ${target} has no .cu file")
    endif()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    set_target_properties(${name} PROPERTIES CUDA_PTX_COMPILATION ON CUDA_ARCHITECTURES "${architecture}")
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES LINK_LIBRARIES CUDA_STANDARD)
        get_target_property(value ${target} ${property})
        if(NOT value MATCHES "-NOTFOUND$")
            set_property(TARGET ${name} PROPERTY ${property} "${value}")
        endif()
    endforeach()
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
endfunction()

# The first of the target's architectures, without what follows the number: nvcc makes PTX for one at a time.
function(_ptxlint_architecture target out)
    get_target_property(all ${target} CUDA_ARCHITECTURES)
    list(GET all 0 first)
    string(REGEX REPLACE "-(real|virtual)$" "" first "${first}")
    if(NOT first MATCHES "^[0-9]+[af]?$")
        message(FATAL_ERROR "ptxlint_check: CUDA_ARCHITECTURES of ${target} begins with '${first}'; name one by ARCHITECTURE")
    endif()
    set(${out} "${first}-virtual" PARENT_SCOPE)
endfunction()

function(_ptxlint_options out)
    set(words --source-root "${CMAKE_SOURCE_DIR}" --primary source)
    foreach(key LAUNCH BASELINE BUDGET)
        if(ARG_${key})
            string(TOLOWER "${key}" option)
            get_filename_component(file "${ARG_${key}}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
            list(APPEND words --${option} "${file}")
        endif()
    endforeach()
    foreach(gpu IN LISTS ARG_GPU)
        list(APPEND words --gpu "${gpu}")
    endforeach()
    if(ARG_PRESET)
        list(APPEND words --preset "${ARG_PRESET}")
    endif()
    if(ARG_SARIF)
        get_filename_component(file "${ARG_SARIF}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
        list(APPEND words --format text --format "sarif=${file}")
    endif()
    set(${out} ${words} ${ARG_OPTIONS} PARENT_SCOPE)
endfunction()

function(ptxlint_check target)
    cmake_parse_arguments(PARSE_ARGV 1 ARG "" "ARCHITECTURE;LAUNCH;PRESET;BASELINE;BUDGET;SARIF" "GPU;OPTIONS")
    if(ARG_UNPARSED_ARGUMENTS OR NOT TARGET ${target})
        message(FATAL_ERROR "ptxlint_check(${target}): no such target, or unknown words: ${ARG_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT PTXLINT_EXECUTABLE)
        message(FATAL_ERROR "ptxlint_check: ptxlint is not installed; set PTXLINT_EXECUTABLE")
    endif()
    if(ARG_ARCHITECTURE)
        set(architecture "${ARG_ARCHITECTURE}-virtual")
    else()
        _ptxlint_architecture(${target} architecture)
    endif()
    _ptxlint_add_ptx(${target}-ptx ${target} "${architecture}")
    _ptxlint_options(options)
    add_custom_target(${target}-ptxlint
        COMMAND "${PTXLINT_EXECUTABLE}" ${options} $<TARGET_OBJECTS:${target}-ptx>
        WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" COMMAND_EXPAND_LISTS VERBATIM)
    add_dependencies(${target}-ptxlint ${target}-ptx)
    if(NOT TARGET ptxlint-check)
        add_custom_target(ptxlint-check)
    endif()
    add_dependencies(ptxlint-check ${target}-ptxlint)
    add_test(NAME ${target}-ptxlint COMMAND "${CMAKE_COMMAND}" --build "${CMAKE_BINARY_DIR}" --target ${target}-ptxlint)
endfunction()
