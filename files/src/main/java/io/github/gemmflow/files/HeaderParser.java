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
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/** Reads the JSON of a {@link Header}, and checks each tensor for itself. Used once. */
final class HeaderParser {
  /** The file, a tensor in it, its shape; and one more, so that a message can say where. */
  private static final int DEPTH = 4;

  /** A 64-bit number has at most 19 digits and a sign. */
  private static final int NUMBER_LENGTH = 20;

  /** Of a name in messages. */
  private static final int SHOWN_LENGTH = 80;

  private static final String METADATA_VALUE = "what " + Header.METADATA + " says";

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
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
          parseMetadata(json);
        } else {
          place = name;
          tensors.put(name, parseTensor(json));
          place = null;
        }
      }
      JsonToken extra = json.nextToken();
      if (extra != null) {
        throw broken("after the end of the header comes %s".formatted(extra));
      }
    } catch (JacksonException e) {
      throw new FileFormatException(
          file,
          "the header is not as it should be%s: %s".formatted(at(e), e.getOriginalMessage()),
          e);
    }
  }

  private static String at(JacksonException e) {
    TokenStreamLocation location = e.getLocation();
    return location == null ? "" : " at character %d".formatted(location.getCharOffset());
  }

  private void parseMetadata(JsonParser json) {
    expect(json.nextToken(), JsonToken.START_OBJECT, Header.METADATA);
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String key = json.currentName();
      expect(json.nextToken(), JsonToken.VALUE_STRING, METADATA_VALUE);
      metadata.put(key, json.getString());
    }
  }

  private Entry parseTensor(JsonParser json) {
    ElementType type = null;
    List<Long> shape = null;
    List<Long> offsets = null;
    expect(json.nextToken(), JsonToken.START_OBJECT, "its description");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      switch (field) {
        case "dtype" -> type = parseType(json);
        case "shape" -> shape = parseNumbers(json, "shape", Header.MAX_DIMENSIONS);
        case "data_offsets" -> offsets = parseNumbers(json, "data_offsets", 2);
        default -> throw broken("'%s' is not a field of tensors".formatted(shown(field)));
      }
    }
    if (type == null || shape == null || offsets == null) {
      throw broken(
          "it must have dtype, shape and data_offsets, and has %s, %s and %s"
              .formatted(orNone(type), orNone(shape), orNone(offsets)));
    }
    return entry(type, shape, offsets);
  }

  private ElementType parseType(JsonParser json) {
    expect(json.nextToken(), JsonToken.VALUE_STRING, "dtype");
    String name = json.getString();
    ElementType type = ElementType.named(name);
    if (type == null) {
      throw broken(
          "dtype '%s' is not one of %s"
              .formatted(shown(name), Arrays.toString(ElementType.values())));
    }
    return type;
  }

  private List<Long> parseNumbers(JsonParser json, String what, int most) {
    expect(json.nextToken(), JsonToken.START_ARRAY, what);
    List<Long> numbers = new ArrayList<>(2);
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
    return List.copyOf(numbers);
  }

  private Entry entry(ElementType type, List<Long> shape, List<Long> offsets) {
    if (offsets.size() != 2) {
      throw broken("data_offsets must be two numbers, not %s".formatted(offsets));
    }
    long begin = offsets.get(0);
    long end = offsets.get(1);
    if (begin > end || end > dataBytes) {
      throw broken(
          "data_offsets %s are not a part of the %d bytes of data".formatted(offsets, dataBytes));
    }
    long bits = bits(type, shape);
    if (bits % Byte.SIZE != 0 || bits / Byte.SIZE != end - begin) {
      throw broken(
          "shape %s of %s takes %d bits, but data_offsets %s are %d bytes"
              .formatted(shape, type, bits, offsets, end - begin));
    }
    return new Entry(type, shape, begin, end);
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

  private void expect(@Nullable JsonToken found, JsonToken expected, String what) {
    if (found != expected) {
      throw broken("%s must be %s, not %s".formatted(what, kind(expected), kind(found)));
    }
  }

  private static String kind(@Nullable JsonToken token) {
    if (token == null) {
      return "cut off";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array of whole numbers";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "a whole number";
      default -> token.toString();
    };
  }

  private static String orNone(@Nullable Object value) {
    return value == null ? "none" : value.toString();
  }

  /** A tensor in messages. */
  static String tensor(String name) {
    return "tensor '%s'".formatted(shown(name));
  }

  /**
   * What a file calls something, short enough for a message and without what confuses terminals.
   */
  private static String shown(String name) {
    String start = name.length() > SHOWN_LENGTH ? name.substring(0, SHOWN_LENGTH) + "..." : name;
    return start.replaceAll("\\p{Cntrl}", "?");
  }

  private FileFormatException broken(String problem) {
    return new FileFormatException(file, place == null ? problem : tensor(place) + ": " + problem);
  }
}
