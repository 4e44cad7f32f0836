from spack.package import *


class Clgemm(CMakePackage):
    """Tuned OpenCL SGEMM with a BLAS-style C API, on GPUs and CPUs."""

    license("Apache-2.0")
    version("0.2.0")  # `spack dev-build` in a clone: no sources are fetched

    variant("shared", default=True, description="A shared library")
    variant("tools", default=False, description="clgemm-info, clgemm-selftest and clgemm-tune")
    variant("doors", default=False, description="The libraries that stand in for clBLAS, CLBlast and a BLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.16:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("cli11", type="build", when="+tools")
    depends_on("opencl@1.2:")
    depends_on("opencl-c-headers")
    depends_on("opencl-clhpp", type=("build", "link"))

    conflicts("~shared", when="+doors", msg="The doors are shared libraries")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("CLGEMM_BUILD_TOOLS", "tools"),
            self.define_from_variant("CLGEMM_BUILD_DOORS", "doors"),
            self.define("CLGEMM_BUILD_TESTS", False),
            self.define("CLGEMM_BUILD_BENCH", False),
            self.define("CLGEMM_BUILD_EXAMPLES", False),
        ]
