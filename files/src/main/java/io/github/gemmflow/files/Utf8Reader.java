// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;

/** Reader of text in memory that takes nothing for it that is not UTF-8. Not thread-safe. */
final class Utf8Reader extends Reader {
  private final String file;
  private final ByteBuffer bytes;
  private final CharsetDecoder decoder =
      UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT);

  /**
   * A reader of the remaining bytes.
   *
   * @param file what they are from, for messages
   */
  Utf8Reader(String file, ByteBuffer bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  @Override
  public int read(char[] target, int offset, int length) {
    if (!bytes.hasRemaining()) {
      return -1;
    }
    CharBuffer chars = CharBuffer.wrap(target, offset, length);
    CoderResult result = decoder.decode(bytes, chars, true);
    if (result.isError()) {
      throw new FileFormatException(
          file, "the header is not UTF-8 at its byte %d".formatted(bytes.position()));
    }
    return length - chars.remaining();
  }

  @Override
  public void close() {}
}
