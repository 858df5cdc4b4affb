# Where pip builds the package the wheels with MuJoCo, Pinocchio and Qhull are not in .venv but in the
# environment of the build: ABUT_VENV is that of the interpreter's own cmeel.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module
             OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import cmeel, pathlib; print(pathlib.Path(cmeel.__file__).parents[4])"
  OUTPUT_VARIABLE ABUT_CMEEL_VENV OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the wheels of deps/build.in are not installed for ${Python_EXECUTABLE}")
endif()
set(ABUT_VENV "${ABUT_CMEEL_VENV}")
