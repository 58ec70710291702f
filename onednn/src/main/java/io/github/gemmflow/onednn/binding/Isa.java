// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.matrix.DType;

/**
 * Instruction sets as oneDNN names them; the numbers are {@code dnnl_cpu_isa_t} of {@code
 * dnnl_types.h}. Better ones come later.
 */
public enum Isa {
  OTHER(0, "plain instructions"),
  AVX2(0x7, "AVX2"),
  AVX2_VNNI(0xf, "AVX2 with VNNI"),
  AVX512(0x27, "AVX-512 without VNNI"),
  AVX512_VNNI(0x67, "AVX-512"),
  AVX512_BF16(0xe7, "AVX-512 with BF16"),
  AVX512_FP16(0x1ef, "AVX-512 with BF16 and FP16"),
  AMX(0xfef, "AMX with BF16, AVX-512 with FP16"),
  AMX_FP16(0x1fef, "AMX with BF16 and FP16");

  private final int bits;
  private final String text;

  Isa(int bits, String text) {
    this.bits = bits;
    this.text = text;
  }

  /** The best that a number stands for; each number has the bits of all that it includes. */
  static Isa of(int number) {
    Isa best = OTHER;
    for (Isa isa : values()) {
      if ((number & isa.bits) == isa.bits) {
        best = isa;
      }
    }
    return best;
  }

  int bits() {
    return bits;
  }

  /** Whether products of a type run at full speed. */
  public boolean isFastFor(DType type) {
    return switch (type) {
      case BF16 -> compareTo(AVX512_BF16) >= 0;
      case F16 -> compareTo(AVX512_FP16) >= 0;
      case F32 -> compareTo(AVX2) >= 0;
      // Without VNNI, sums of products in int8 saturate.
      case I8 -> this == AVX2_VNNI || compareTo(AVX512_VNNI) >= 0;
    };
  }

  @Override
  public String toString() {
    return text;
  }
}
