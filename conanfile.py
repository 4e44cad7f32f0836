# Conan's recipe: `conan create . --build=missing` builds the library, has tests/consumers use it on an OpenCL device, and
# keeps it for other projects. (`--test-folder=""` leaves that use out, where there is no device.)
from pathlib import Path
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.1"


class Clgemm(ConanFile):
    name = "clgemm"
    description = "Tuned OpenCL SGEMM with a BLAS-style C API"
    license = "Apache-2.0"
    topics = ("opencl", "blas", "gemm", "matrix-multiplication", "gpu")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "tools": [True, False]}
    default_options = {"shared": True, "fPIC": True, "tools": False}  # tools: clgemm-info, -selftest, -tune
    implements = ["auto_shared_fpic"]
    exports_sources = (
        "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "kernels/*", "licenses/*", "reference/*", "src/*",
        "timing/*", "tools/*", "tuning/*"
    )
    test_package_folder = "tests/consumers"

    def set_version(self):
        header = load(self, Path(self.recipe_folder) / "include" / "clgemm" / "clgemm.h")
        self.version = ".".join(re.findall(r"#define CLGEMM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        # Those who include clgemm.h include OpenCL's headers, and clgemm.hpp its C++ bindings.
        self.requires("opencl-headers/2023.12.14", transitive_headers=True)
        self.requires("opencl-clhpp-headers/2023.12.14", transitive_headers=True)
        if self.settings.os != "Macos":  # which has its own
            self.requires(
                "opencl-icd-loader/2023.12.14", transitive_headers=True, transitive_libs=True, options={"shared": True}
            )
        self.requires("nlohmann_json/3.11.3")
        if self.options.tools:
            self.requires("cli11/2.4.2")

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in "BENCH", "DOORS", "EXAMPLES", "TESTS":
            toolchain.cache_variables[f"CLGEMM_BUILD_{part}"] = False
        toolchain.cache_variables["CLGEMM_BUILD_TOOLS"] = bool(self.options.tools)
        # CMake's module looks for the C headers alone.
        headers = [self.dependencies[name].cpp_info.includedir for name in ("opencl-headers", "opencl-clhpp-headers")]
        toolchain.cache_variables["OpenCL_INCLUDE_DIR"] = ";".join(Path(folder).as_posix() for folder in headers)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder) / "licenses")
        copy(self, "*", Path(self.source_folder) / "licenses", Path(self.package_folder) / "licenses")  # of code that is compiled in
        for of_installations_elsewhere in "lib/cmake", "lib/pkgconfig", "share/doc":
            rmdir(self, Path(self.package_folder) / of_installations_elsewhere)

    def package_info(self):
        self.cpp_info.libs = ["clgemm"]
        if self.settings.os == "Macos":
            self.cpp_info.frameworks = ["OpenCL"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["m", "pthread"] if self.settings.os == "Linux" else []
            if runtime := stdcpp_library(self):  # for programs in C
                self.cpp_info.system_libs.append(runtime)
