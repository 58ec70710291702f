// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn.binding;

import io.github.gemmflow.kernel.Activation;
import io.github.gemmflow.matrix.DType;

/** Numbers of {@code dnnl_types.h} and {@code dnnl_common_types.h}, which version 3 keeps. */
final class Abi {
  static final int MAJOR = 3;

  /** Bytes of {@code dnnl_version_t}: three ints, a gap, an address, two ints. */
  static final int VERSION_BYTES = 32;

  static final int VERSION_MAJOR_AT = 0;
  static final int VERSION_MINOR_AT = 4;
  static final int VERSION_PATCH_AT = 8;
  static final int VERSION_CPU_RUNTIME_AT = 24;

  static final int RUNTIME_SEQUENTIAL = 1;
  static final int RUNTIME_OPENMP = 2;

  static final int CPU = 1;
  static final int STREAM_DEFAULT = 1;
  static final int FORMAT_ANY = 1;
  static final int SCRATCHPAD_USER = 1;
  static final int FPMATH_STRICT = 0;

  static final int QUERY_IMPLEMENTATION = 8;
  static final int QUERY_WEIGHTS = 131;
  static final int QUERY_SCRATCHPAD = 136;

  /** Bytes of {@code dnnl_exec_arg_t}: an int, a gap, an address. */
  static final int ARGUMENT_BYTES = 16;

  static final int ARGUMENT_MEMORY_AT = 8;

  static final int ARG_SOURCE = 1;
  static final int ARG_DESTINATION = 17;
  static final int ARG_WEIGHTS = 33;
  static final int ARG_BIAS = 41;
  static final int ARG_SCRATCHPAD = 80;

  /** {@code DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS}. */
  static final int ARG_WEIGHT_SCALES = 4096 | ARG_WEIGHTS;

  /** {@code DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1}. */
  static final int ARG_FIRST_POST_OPERATION = 32768 | 2;

  static final int BINARY_MULTIPLY = 0x1fff1;

  /** Of a description without a type. */
  static final int TYPE_UNDEFINED = 0;

  private Abi() {}

  static int type(DType type) {
    return switch (type) {
      case F16 -> 1;
      case BF16 -> 2;
      case F32 -> 3;
      case I8 -> 5;
    };
  }

  /** What oneDNN calls an activation; there is none for {@link Activation#NONE}. */
  static int algorithm(Activation activation) {
    return switch (activation) {
      case NONE -> throw new IllegalArgumentException("nothing to apply");
      case RELU -> 0x20;
      case SILU -> 0x2c;
      case GELU -> 0x31;
    };
  }

  /** The parameter of an activation: for swish the factor in its exponent, for ReLU its slope. */
  static float alpha(Activation activation) {
    return activation == Activation.SILU ? 1 : 0;
  }

  /** What a status means. */
  static String status(int number) {
    return switch (number) {
      case 1 -> "out of memory";
      case 2 -> "invalid arguments";
      case 3 -> "not implemented";
      case 5 -> "runtime error";
      default -> "status " + number;
    };
  }
}
