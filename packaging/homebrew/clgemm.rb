class Clgemm < Formula
  desc "Tuned OpenCL SGEMM with a BLAS-style C API"
  license "Apache-2.0"
  # The clone in which this recipe lies: version 0.2.0.
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "opencl-clhpp-headers"
  depends_on "opencl-headers"
  depends_on "opencl-icd-loader"
  depends_on :linux

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DCLGEMM_BUILD_DOORS=OFF", "-DCLGEMM_BUILD_TOOLS=OFF",
           "-DCLGEMM_BUILD_TESTS=OFF", "-DCLGEMM_BUILD_BENCH=OFF", "-DCLGEMM_BUILD_EXAMPLES=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"version.c").write <<~C
      #include <clgemm/clgemm.h>
      #include <stdio.h>
      int main(void) { return puts(clgemm_version()) < 0; }
    C
    system ENV.cc, "version.c", "-I#{include}", "-L#{lib}", "-lclgemm", "-o", "version"
    assert_match "0.2", shell_output("./version")
  end
end
