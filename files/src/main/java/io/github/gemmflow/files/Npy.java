// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.gemmflow.files.NpyHeaderParser.Result;
import io.github.gemmflow.matrix.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * NumPy's .npy: a magic string, a version, the length of the header, the header, which is a
 * dictionary in Python's own words, and the elements. The names are those of NumPy's format.py.
 */
final class Npy {
  private static final byte[] MAGIC_PREFIX = "\u0093NUMPY".getBytes(ISO_8859_1);

  /** {@code MAGIC_LEN}: the version is two bytes. */
  private static final int MAGIC_LEN = MAGIC_PREFIX.length + 2;

  /** {@code ARRAY_ALIGN}: where the elements begin is a multiple of it. */
  private static final int ARRAY_ALIGN = 64;

  /** What it was before NumPy 1.14. */
  private static final int OLD_ARRAY_ALIGN = 16;

  /** {@code _MAX_HEADER_SIZE}. */
  private static final int MAX_HEADER_SIZE = 10_000;

  private static final ValueLayout.OfShort LENGTH_1 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final ValueLayout.OfInt LENGTH_2 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Npy() {}

  /** The array in a file that is mapped to {@code memory}, as a view; the header is checked. */
  static Tensor read(String file, MemorySegment memory) {
    int prefix = prefix(file, memory);
    checkRoom(file, memory, prefix, "the length of its header");
    long length =
        prefix == MAGIC_LEN + Short.BYTES
            ? Short.toUnsignedLong(memory.get(LENGTH_1, MAGIC_LEN))
            : Integer.toUnsignedLong(memory.get(LENGTH_2, MAGIC_LEN));
    if (length > MAX_HEADER_SIZE) {
      throw new FileFormatException(
          file,
          "its header has a length of %d bytes, more than the %d that NumPy allows"
              .formatted(length, MAX_HEADER_SIZE));
    }
    checkRoom(file, memory, prefix + length, "a header of %d bytes".formatted(length));
    byte[] header = memory.asSlice(prefix, length).toArray(ValueLayout.JAVA_BYTE);
    Result result = new NpyHeaderParser(file, text(file, prefix, header)).parse();
    MemorySegment data = memory.asSlice(prefix + length);
    checkSize(file, result, data.byteSize());
    return new Tensor(file, result.type(), result.shape(), data);
  }

  /** Bytes before the header. */
  private static int prefix(String file, MemorySegment memory) {
    checkRoom(file, memory, MAGIC_LEN, "the start of a .npy file");
    MemorySegment magic = memory.asSlice(0, MAGIC_PREFIX.length);
    if (magic.mismatch(MemorySegment.ofArray(MAGIC_PREFIX)) >= 0) {
      throw new FileFormatException(
          file, "it does not begin with \\x93NUMPY: it is not a .npy file");
    }
    int major = Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, MAGIC_LEN - 2));
    int minor = Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, MAGIC_LEN - 1));
    if (major < 1 || major > 3 || minor != 0) {
      throw new FileFormatException(
          file,
          "its format version %d.%d is not supported; supported versions are 1.0, 2.0 and 3.0"
              .formatted(major, minor));
    }
    return MAGIC_LEN + (major == 1 ? Short.BYTES : Integer.BYTES);
  }

  private static void checkRoom(String file, MemorySegment memory, long bytes, String what) {
    if (memory.byteSize() < bytes) {
      throw new FileFormatException(
          file,
          "it has %d bytes, too few for %s: it is truncated, or has another format"
              .formatted(memory.byteSize(), what));
    }
  }

  /** The header without the newline at its end. */
  private static String text(String file, int prefix, byte[] header) {
    int last = header.length - 1;
    if (last < 0 || header[last] != '\n') {
      throw new FileFormatException(
          file, "its header of %d bytes does not end with a newline".formatted(header.length));
    }
    if ((prefix + header.length) % OLD_ARRAY_ALIGN != 0) {
      throw new FileFormatException(
          file,
          "its header ends at byte %d, which is not a multiple of %d"
              .formatted(prefix + header.length, OLD_ARRAY_ALIGN));
    }
    // Version 3 is UTF-8, for the names of fields; what is read here has none.
    return new String(header, 0, last, ISO_8859_1);
  }

  private static void checkSize(String file, Result result, long dataBytes) {
    long bytes = result.type().bytes();
    try {
      for (long size : result.shape()) {
        bytes = Math.multiplyExact(bytes, size);
      }
    } catch (ArithmeticException e) {
      throw new FileFormatException(
          file, "its shape %s is larger than any file".formatted(result.shape()), e);
    }
    if (bytes != dataBytes) {
      throw new FileFormatException(
          file,
          "its shape %s of %s takes %d bytes, but %d follow the header: %s"
              .formatted(
                  result.shape(),
                  result.type(),
                  bytes,
                  dataBytes,
                  bytes > dataBytes ? "it is truncated" : "it holds more than one array"));
    }
  }

  /** What comes before the elements of a matrix, in version 1.0, as NumPy writes it. */
  static byte[] header(DType type, long rows, long columns) {
    byte[] text =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }"
            .formatted(NpyType.name(type), rows, columns)
            .getBytes(ISO_8859_1);
    int prefix = MAGIC_LEN + Short.BYTES;
    int total = Math.ceilDiv(prefix + text.length + 1, ARRAY_ALIGN) * ARRAY_ALIGN;
    ByteBuffer header = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    header.put(MAGIC_PREFIX).put((byte) 1).put((byte) 0);
    header.putShort((short) (total - prefix)).put(text);
    while (header.remaining() > 1) {
      header.put((byte) ' ');
    }
    return header.put((byte) '\n').array();
  }
}
