// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.matrix.DType;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The element types of safetensors, by their names there: {@code Dtype} in its tensor.rs. */
enum ElementType {
  BOOL(8),
  F4(4),
  F6_E2M3(6),
  F6_E3M2(6),
  U8(8),
  I8(8, DType.I8),
  F8_E5M2(8),
  F8_E4M3(8),
  F8_E8M0(8),
  F8_E4M3FNUZ(8),
  F8_E5M2FNUZ(8),
  I16(16),
  U16(16),
  F16(16, DType.F16),
  BF16(16, DType.BF16),
  I32(32),
  U32(32),
  F32(32, DType.F32),
  C64(64),
  F64(64),
  I64(64),
  U64(64);

  private static final Map<String, ElementType> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(ElementType::name, Function.identity()));

  private final int bits;
  private final @Nullable DType dtype;

  ElementType(int bits) {
    this(bits, null);
  }

  ElementType(int bits, @Nullable DType dtype) {
    this.bits = bits;
    this.dtype = dtype;
  }

  /** Null if there is no such type. */
  static @Nullable ElementType named(String name) {
    return BY_NAME.get(name);
  }

  /** The type of a matrix's elements. */
  static ElementType of(DType dtype) {
    return valueOf(dtype.name());
  }

  /** The size of one element. */
  int bits() {
    return bits;
  }

  /** What a matrix calls it; null if there are no matrices of it. */
  @Nullable DType dtype() {
    return dtype;
  }
}
