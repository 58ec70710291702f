// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers are those of the headers that the artifact brings along, asked with a compiler. */
@Tag("full")
class AbiTest {
  private static final String FOLDER = "org/bytedeco/dnnl/linux-x86_64/";

  @TempDir private Path directory;

  private static Map<String, Integer> numbers() {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    numbers.put("DNNL_VERSION_MAJOR", Abi.MAJOR);
    numbers.put("sizeof(dnnl_version_t)", Abi.VERSION_BYTES);
    numbers.put("offsetof(dnnl_version_t, major)", Abi.VERSION_MAJOR_AT);
    numbers.put("offsetof(dnnl_version_t, minor)", Abi.VERSION_MINOR_AT);
    numbers.put("offsetof(dnnl_version_t, patch)", Abi.VERSION_PATCH_AT);
    numbers.put("offsetof(dnnl_version_t, cpu_runtime)", Abi.VERSION_CPU_RUNTIME_AT);
    numbers.put("DNNL_RUNTIME_SEQ", Abi.RUNTIME_SEQUENTIAL);
    numbers.put("DNNL_RUNTIME_OMP", Abi.RUNTIME_OPENMP);
    numbers.put("dnnl_cpu", Abi.CPU);
    numbers.put("dnnl_stream_default_flags", Abi.STREAM_DEFAULT);
    numbers.put("dnnl_format_tag_any", Abi.FORMAT_ANY);
    numbers.put("dnnl_scratchpad_mode_user", Abi.SCRATCHPAD_USER);
    numbers.put("dnnl_fpmath_mode_strict", Abi.FPMATH_STRICT);
    numbers.put("dnnl_query_impl_info_str", Abi.QUERY_IMPLEMENTATION);
    numbers.put("dnnl_query_weights_md", Abi.QUERY_WEIGHTS);
    numbers.put("dnnl_query_scratchpad_md", Abi.QUERY_SCRATCHPAD);
    numbers.put("sizeof(dnnl_exec_arg_t)", Abi.ARGUMENT_BYTES);
    numbers.put("offsetof(dnnl_exec_arg_t, memory)", Abi.ARGUMENT_MEMORY_AT);
    numbers.put("DNNL_ARG_SRC", Abi.ARG_SOURCE);
    numbers.put("DNNL_ARG_DST", Abi.ARG_DESTINATION);
    numbers.put("DNNL_ARG_WEIGHTS", Abi.ARG_WEIGHTS);
    numbers.put("DNNL_ARG_BIAS", Abi.ARG_BIAS);
    numbers.put("DNNL_ARG_SCRATCHPAD", Abi.ARG_SCRATCHPAD);
    numbers.put("dnnl_f16", Abi.type(DType.F16));
    numbers.put("dnnl_bf16", Abi.type(DType.BF16));
    numbers.put("dnnl_f32", Abi.type(DType.F32));
    numbers.put("dnnl_eltwise_relu", Abi.algorithm(Activation.RELU));
    numbers.put("dnnl_eltwise_swish", Abi.algorithm(Activation.SILU));
    numbers.put("dnnl_eltwise_gelu_erf", Abi.algorithm(Activation.GELU));
    numbers.put("dnnl_cpu_isa_avx2", Isa.AVX2.bits());
    numbers.put("dnnl_cpu_isa_avx512_core", Isa.AVX512.bits());
    numbers.put("dnnl_cpu_isa_avx512_core_bf16", Isa.AVX512_BF16.bits());
    numbers.put("dnnl_cpu_isa_avx512_core_fp16", Isa.AVX512_FP16.bits());
    numbers.put("dnnl_cpu_isa_avx512_core_amx", Isa.AMX.bits());
    numbers.put("dnnl_cpu_isa_avx512_core_amx_fp16", Isa.AMX_FP16.bits());
    return numbers;
  }

  @Test
  void theNumbersAreThoseOfTheHeaders() throws IOException, InterruptedException {
    Map<String, Integer> numbers = numbers();
    StringBuilder program =
        new StringBuilder(
            "#include <oneapi/dnnl/dnnl.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
    numbers
        .keySet()
        .forEach(name -> program.append("printf(\"%d\\n\", (int) ").append(name).append(");\n"));
    program.append("return 0; }\n");
    Path source = Files.writeString(directory.resolve("abi.c"), program);
    Path binary = directory.resolve("abi");
    copyHeaders();
    run(
        List.of(
            "gcc",
            "-I" + directory.resolve(FOLDER + "include"),
            "-o",
            binary.toString(),
            source.toString()));
    List<String> said = run(List.of(binary.toString())).lines().toList();
    int line = 0;
    for (Map.Entry<String, Integer> number : numbers.entrySet()) {
      assertEquals(said.get(line++), number.getValue().toString(), number.getKey());
    }
  }

  private void copyHeaders() throws IOException {
    var library = ClassLoader.getSystemResource(FOLDER + "libdnnl.so.3");
    try (JarFile jar = ((JarURLConnection) library.openConnection()).getJarFile()) {
      for (JarEntry entry : jar.stream().toList()) {
        if (entry.getName().startsWith(FOLDER + "include/") && !entry.isDirectory()) {
          Path target = directory.resolve(entry.getName());
          Files.createDirectories(target.getParent());
          try (InputStream in = jar.getInputStream(entry)) {
            Files.copy(in, target);
          }
        }
      }
    }
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }
}
