// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writer of the {@link Header} of a safetensors file. */
final class HeaderWriter {
  /** The data begins at a multiple of this many bytes: a cache line. */
  private static final int ALIGNMENT = 64;

  private HeaderWriter() {}

  /** The header with its length before it. Tensors are named in the order of the map. */
  static byte[] write(Map<String, Header.Entry> tensors, Map<String, String> metadata) {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), json)) {
      out.writeStartObject();
      if (!metadata.isEmpty()) {
        out.writeName(Header.METADATA);
        out.writeStartObject();
        metadata.forEach(out::writeStringProperty);
        out.writeEndObject();
      }
      tensors.forEach((name, tensor) -> write(out, name, tensor));
      out.writeEndObject();
    }
    return padded(json.toByteArray());
  }

  private static void write(JsonGenerator out, String name, Header.Entry tensor) {
    out.writeName(name);
    out.writeStartObject();
    out.writeStringProperty("dtype", tensor.type().name());
    writeNumbers(out, "shape", tensor.shape());
    writeNumbers(out, "data_offsets", List.of(tensor.begin(), tensor.end()));
    out.writeEndObject();
  }

  private static void writeNumbers(JsonGenerator out, String name, List<Long> numbers) {
    out.writeName(name);
    out.writeStartArray();
    numbers.forEach(out::writeNumber);
    out.writeEndArray();
  }

  /** The header with its length before it and spaces after it. */
  private static byte[] padded(byte[] json) {
    int prefix = (int) Header.PREFIX;
    int total = Math.ceilDiv(prefix + json.length, ALIGNMENT) * ALIGNMENT;
    if (total - prefix > Header.MAX_BYTES) {
      throw new IllegalArgumentException(
          "the header would have %d bytes, more than the %d that readers accept: write fewer tensors to a file"
              .formatted(total - prefix, Header.MAX_BYTES));
    }
    ByteBuffer header = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(total - prefix).put(json);
    while (header.hasRemaining()) {
      header.put((byte) ' ');
    }
    return header.array();
  }
}
