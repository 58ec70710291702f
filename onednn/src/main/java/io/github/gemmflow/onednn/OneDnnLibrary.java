// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.onednn.binding.AmxPermission;
import io.github.gemmflow.onednn.binding.Dnnl;
import io.github.gemmflow.onednn.binding.Isa;
import java.util.Arrays;
import java.util.List;

/**
 * The oneDNN that {@link OneDnnKernel} multiplies with, for those who want to know which it is.
 *
 * @param version such as 3.11.0
 * @param file where it was loaded from
 * @param instructions the best instructions that it uses on this machine
 * @param usesAmx whether AMX is among them
 * @param slowTypes what there are no instructions for, and is converted from and to F32
 */
public record OneDnnLibrary(
    String version, String file, String instructions, boolean usesAmx, List<DType> slowTypes) {
  /**
   * Loads oneDNN, if that has not been done in this process.
   *
   * @throws RuntimeException if it cannot be had; says what to do
   */
  public static OneDnnLibrary load() {
    Dnnl dnnl = Dnnl.load();
    Isa isa = dnnl.isa();
    return new OneDnnLibrary(
        dnnl.version(),
        dnnl.library(),
        isa.toString(),
        isa.compareTo(Isa.AMX) >= 0,
        Arrays.stream(DType.values()).filter(type -> !isa.isFastFor(type)).toList());
  }

  /**
   * Asks Linux on x86-64 for the permission to use AMX.
   *
   * @return 0 if it is granted, otherwise the error number of {@code arch_prctl}
   */
  public static int requestAmx() {
    return AmxPermission.request();
  }
}
