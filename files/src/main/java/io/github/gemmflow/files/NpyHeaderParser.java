// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

import io.github.gemmflow.files.NpyTokens.Kind;
import io.github.gemmflow.matrix.DType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the header of a .npy file that takes nothing but a dictionary of exactly {@code descr},
 * {@code fortran_order} and {@code shape} ({@code EXPECTED_KEYS} in NumPy's format.py). Used once.
 */
final class NpyHeaderParser {
  private final String file;
  private final NpyTokens tokens;

  private @Nullable DType type;
  private @Nullable Boolean fortranOrder;
  private @Nullable List<Long> shape;

  NpyHeaderParser(String file, String text) {
    this.file = file;
    this.tokens = new NpyTokens(file, text);
  }

  /** What was read of the type and the shape. */
  record Result(DType type, List<Long> shape) {}

  Result parse() {
    tokens.advance();
    pass('{', "a dictionary");
    while (!tokens.is('}')) {
      parseItem();
      if (!tokens.is('}')) {
        pass(',', "a comma or '}'");
      }
    }
    tokens.advance();
    if (tokens.kind() != Kind.END) {
      throw broken("unexpected content after the dictionary: %s".formatted(tokens.shown()));
    }
    if (type == null || fortranOrder == null || shape == null) {
      throw broken(
          "descr, fortran_order and shape are required, but %s is missing"
              .formatted(
                  type == null ? "descr" : fortranOrder == null ? "fortran_order" : "shape"));
    }
    if (fortranOrder) {
      throw broken(
          "fortran_order is True: the array is stored by columns; save np.ascontiguousarray(a)");
    }
    return new Result(type, shape);
  }

  private void parseItem() {
    if (tokens.kind() != Kind.STRING) {
      throw broken("a name in quotes must come next, not %s".formatted(tokens.shown()));
    }
    String key = tokens.token();
    tokens.advance();
    pass(':', "a colon after '%s'".formatted(Shown.of(key)));
    switch (key) {
      case "descr" -> {
        checkFirst(key, type);
        type = parseDescr();
      }
      case "fortran_order" -> {
        checkFirst(key, fortranOrder);
        fortranOrder = parseFortranOrder();
      }
      case "shape" -> {
        checkFirst(key, shape);
        shape = parseShape();
      }
      default -> throw broken("'%s' is not descr, fortran_order or shape".formatted(Shown.of(key)));
    }
  }

  private void checkFirst(String key, @Nullable Object value) {
    if (value != null) {
      throw broken("%s occurs twice".formatted(key));
    }
  }

  private DType parseDescr() {
    if (tokens.is('[')) {
      throw broken("it has a structured type: save each field separately, for example a['x']");
    }
    if (tokens.kind() != Kind.STRING) {
      throw broken("descr must be a type in quotes, not %s".formatted(tokens.shown()));
    }
    DType read = NpyType.read(file, tokens.token());
    tokens.advance();
    return read;
  }

  private boolean parseFortranOrder() {
    boolean isTrue = tokens.token().equals("True");
    if (tokens.kind() != Kind.WORD || !(isTrue || tokens.token().equals("False"))) {
      throw broken("fortran_order must be True or False, not %s".formatted(tokens.shown()));
    }
    tokens.advance();
    return isTrue;
  }

  private List<Long> parseShape() {
    pass('(', "'(' as the beginning of the shape");
    List<Long> sizes = new ArrayList<>(2);
    boolean comma = true;
    while (!tokens.is(')')) {
      if (!comma) {
        throw broken(
            "a comma or ')' must come next in the shape, not %s".formatted(tokens.shown()));
      }
      if (sizes.size() == Header.MAX_DIMENSIONS) {
        throw broken("the shape has more than %d dimensions".formatted(Header.MAX_DIMENSIONS));
      }
      sizes.add(parseSize());
      comma = tokens.is(',');
      if (comma) {
        tokens.advance();
      }
    }
    if (sizes.size() == 1 && !comma) {
      throw broken(
          "the shape (%d) is a number: one dimension has a comma after it".formatted(sizes.get(0)));
    }
    tokens.advance();
    return List.copyOf(sizes);
  }

  private long parseSize() {
    String number = tokens.token();
    if (tokens.kind() != Kind.NUMBER) {
      throw broken("the shape must be of whole numbers, not %s".formatted(tokens.shown()));
    }
    if (number.charAt(0) == '-') {
      throw broken("the shape holds %s, which is negative".formatted(tokens.shown()));
    }
    tokens.advance();
    try {
      return Long.parseLong(number);
    } catch (NumberFormatException e) {
      throw broken("the shape holds %s, larger than any file".formatted(Shown.of(number)));
    }
  }

  private void pass(char sign, String what) {
    if (!tokens.is(sign)) {
      throw broken("%s must come next, not %s".formatted(what, tokens.shown()));
    }
    tokens.advance();
  }

  private FileFormatException broken(String problem) {
    return new FileFormatException(file, "in the header, " + problem);
  }
}
