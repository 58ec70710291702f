// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Header of a safetensors file, checked. A file is the length of the header in 8 bytes, the header
 * in JSON, and the bytes of the tensors.
 *
 * @param bytes where the bytes of the tensors begin in the file
 * @param tensors by name, in the order of the header
 * @param metadata what is said about the whole
 */
record Header(long bytes, Map<String, Entry> tensors, Map<String, String> metadata) {
  /** {@code MAX_HEADER_SIZE} in tensor.rs of safetensors. */
  static final long MAX_BYTES = 100_000_000;

  /** As many as NumPy has. */
  static final int MAX_DIMENSIONS = 64;

  static final String METADATA = "__metadata__";

  private static final ValueLayout.OfLong LENGTH =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Bytes before the JSON. */
  static final long PREFIX = LENGTH.byteSize();

  /**
   * One tensor.
   *
   * @param begin where its bytes begin, counted from the end of the header
   * @param end where they end
   */
  record Entry(ElementType type, List<Long> shape, long begin, long end) {}

  Header {
    tensors = Collections.unmodifiableMap(tensors);
    metadata = Collections.unmodifiableMap(metadata);
  }

  /** Reads and checks the header of a file that is mapped to {@code memory}. */
  static Header read(String file, MemorySegment memory) {
    if (memory.byteSize() < PREFIX) {
      throw new FileFormatException(
          file,
          "it has %d bytes, but a safetensors file begins with the length of its header in %d"
              .formatted(memory.byteSize(), PREFIX));
    }
    long length = memory.get(LENGTH, 0);
    if (length < 0 || length > MAX_BYTES) {
      throw new FileFormatException(
          file,
          "its first %d bytes give the header a length of %s bytes, more than the %d that are allowed"
              .formatted(PREFIX, Long.toUnsignedString(length), MAX_BYTES));
    }
    long room = memory.byteSize() - PREFIX;
    if (length > room) {
      throw new FileFormatException(
          file,
          "the header has a length of %d bytes, but only %d follow: the file is truncated, or has another format"
              .formatted(length, room));
    }
    MemorySegment json = memory.asSlice(PREFIX, length);
    if (length == 0 || json.get(ValueLayout.JAVA_BYTE, 0) != '{') {
      throw new FileFormatException(
          file,
          "the header must be a JSON object, which begins with '{', not with "
              + (length == 0 ? "nothing" : "byte " + json.get(ValueLayout.JAVA_BYTE, 0)));
    }
    HeaderParser parser = new HeaderParser(file, json.asByteBuffer(), room - length);
    parser.parse();
    checkCovered(file, parser.tensors(), room - length);
    return new Header(PREFIX + length, parser.tensors(), parser.metadata());
  }

  /** Throws unless every byte of the data belongs to exactly one tensor. */
  private static void checkCovered(String file, Map<String, Entry> tensors, long dataBytes) {
    List<Map.Entry<String, Entry>> inOrder = new ArrayList<>(tensors.entrySet());
    inOrder.sort(
        Comparator.comparingLong((Map.Entry<String, Entry> e) -> e.getValue().begin())
            .thenComparingLong(e -> e.getValue().end()));
    long covered = 0;
    for (Map.Entry<String, Entry> e : inOrder) {
      long begin = e.getValue().begin();
      if (begin != covered) {
        throw new FileFormatException(
            file,
            "%s begins at byte %d of the data, but the tensors before it end at %d: tensors may not %s"
                .formatted(
                    HeaderParser.tensor(e.getKey()),
                    begin,
                    covered,
                    begin < covered ? "overlap" : "leave gaps"));
      }
      covered = e.getValue().end();
    }
    if (covered != dataBytes) {
      throw new FileFormatException(
          file,
          "the tensors end at byte %d of the data, which has %d".formatted(covered, dataBytes));
    }
  }
}
