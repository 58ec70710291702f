// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.files.Header.Entry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Parser of the JSON of a {@link Header}; it checks each tensor for itself. Used once. */
final class HeaderParser {
  /** The file, a tensor in it, its shape; and one more, so that a message can say where. */
  private static final int DEPTH = 4;

  /** A 64-bit number has at most 19 digits and a sign. */
  private static final int NUMBER_LENGTH = 20;

  private static final String METADATA_VALUE = "each value of " + Header.METADATA;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          // Names differ from file to file; a table of them would only grow.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxDocumentLength(Header.MAX_BYTES)
                  .maxNestingDepth(DEPTH)
                  .maxNumberLength(NUMBER_LENGTH)
                  .build())
          .build();

  private final String file;
  private final ByteBuffer text;
  private final long dataBytes;
  private final Map<String, Entry> tensors = new LinkedHashMap<>();
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private boolean hasMetadata;

  /** Used again for each tensor: a header may have very many small ones. */
  private final List<Long> numbers = new ArrayList<>(2);

  /** The tensor that is being read; null outside. */
  private @Nullable String place;

  /**
   * A parser.
   *
   * @param text the JSON
   * @param dataBytes bytes that follow the header
   */
  HeaderParser(String file, ByteBuffer text, long dataBytes) {
    this.file = file;
    this.text = text;
    this.dataBytes = dataBytes;
  }

  Map<String, Entry> tensors() {
    return tensors;
  }

  Map<String, String> metadata() {
    return metadata;
  }

  void parse() {
    try (JsonParser json =
        JSON.createParser(ObjectReadContext.empty(), new Utf8Reader(file, text))) {
      expect(json.nextToken(), JsonToken.START_OBJECT, "the header");
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        if (name.equals(Header.METADATA)) {
          checkFirst(name, hasMetadata);
          hasMetadata = true;
          parseMetadata(json);
        } else {
          place = name;
          Entry tensor = parseTensor(json);
          place = null;
          checkFirst(name, tensors.put(name, tensor) != null);
        }
      }
      JsonToken extra = json.nextToken();
      if (extra != null) {
        throw broken("unexpected content after the end of the header: %s".formatted(extra));
      }
    } catch (JacksonException e) {
      throw new FileFormatException(
          file,
          "the header is malformed%s: %s".formatted(JsonWords.place(e), e.getOriginalMessage()),
          e);
    }
  }

  private void parseMetadata(JsonParser json) {
    expect(json.nextToken(), JsonToken.START_OBJECT, Header.METADATA);
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      expect(json.nextToken(), JsonToken.VALUE_STRING, METADATA_VALUE);
      checkFirst(key, metadata.put(key, json.getString()) != null);
    }
  }

  private Entry parseTensor(JsonParser json) {
    ElementType type = null;
    List<Long> shape = null;
    Range range = null;
    expect(json.nextToken(), JsonToken.START_OBJECT, "its description");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      switch (field) {
        case "dtype" -> {
          checkFirst(field, type != null);
          type = parseType(json);
        }
        case "shape" -> {
          checkFirst(field, shape != null);
          shape = List.copyOf(parseNumbers(json, field, Header.MAX_DIMENSIONS));
        }
        case "data_offsets" -> {
          checkFirst(field, range != null);
          range = range(parseNumbers(json, field, 2));
        }
        default -> throw broken("'%s' is not a field of tensors".formatted(Shown.of(field)));
      }
    }
    if (type == null || shape == null || range == null) {
      throw broken(
          "it must have dtype, shape and data_offsets, but has %s, %s and %s"
              .formatted(orNone(type), orNone(shape), orNone(range)));
    }
    return entry(type, shape, range);
  }

  private ElementType parseType(JsonParser json) {
    expect(json.nextToken(), JsonToken.VALUE_STRING, "dtype");
    String name = json.getString();
    ElementType type = ElementType.named(name);
    if (type == null) {
      throw broken(
          "dtype '%s' is not one of %s"
              .formatted(Shown.of(name), Arrays.toString(ElementType.values())));
    }
    return type;
  }

  private List<Long> parseNumbers(JsonParser json, String what, int most) {
    expect(json.nextToken(), JsonToken.START_ARRAY, what);
    numbers.clear();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, what);
      long number = json.getLongValue();
      if (number < 0) {
        throw broken("%s holds %d, which is negative".formatted(what, number));
      }
      if (numbers.size() == most) {
        throw broken("%s has more than %d numbers".formatted(what, most));
      }
      numbers.add(number);
    }
    return numbers;
  }

  /** Where the bytes of a tensor lie. */
  private record Range(long begin, long end) {
    @Override
    public String toString() {
      return "[%d, %d]".formatted(begin, end);
    }
  }

  private Range range(List<Long> offsets) {
    if (offsets.size() != 2) {
      throw broken("data_offsets must be two numbers, not %s".formatted(offsets));
    }
    return new Range(offsets.get(0), offsets.get(1));
  }

  private Entry entry(ElementType type, List<Long> shape, Range range) {
    if (range.begin() > range.end() || range.end() > dataBytes) {
      throw broken(
          "data_offsets %s are not within the %d bytes of data".formatted(range, dataBytes));
    }
    long bits = bits(type, shape);
    long bytes = range.end() - range.begin();
    if (bits % Byte.SIZE != 0 || bits / Byte.SIZE != bytes) {
      throw broken(
          "shape %s of %s takes %d bits, but data_offsets %s are %d bytes"
              .formatted(shape, type, bits, range, bytes));
    }
    return new Entry(type, shape, range.begin(), range.end());
  }

  private long bits(ElementType type, List<Long> shape) {
    try {
      long bits = type.bits();
      for (long dimension : shape) {
        bits = Math.multiplyExact(bits, dimension);
      }
      return bits;
    } catch (ArithmeticException e) {
      throw broken("shape %s of %s is larger than any file".formatted(shape, type));
    }
  }

  private void checkFirst(String name, boolean isThere) {
    if (isThere) {
      throw broken("'%s' occurs twice".formatted(Shown.of(name)));
    }
  }

  private void expect(@Nullable JsonToken found, JsonToken expected, String what) {
    if (found != expected) {
      throw broken(
          "%s must be %s, not %s".formatted(what, JsonWords.kind(expected), JsonWords.kind(found)));
    }
  }

  private static String orNone(@Nullable Object value) {
    return value == null ? "none" : value.toString();
  }

  /** A tensor in messages. */
  static String tensor(String name) {
    return "tensor '%s'".formatted(Shown.of(name));
  }

  private FileFormatException broken(String problem) {
    return new FileFormatException(file, place == null ? problem : tensor(place) + ": " + problem);
  }
}
