// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.files;

/**
 * Tokens of the header of a .npy file: that much of Python's literals as NumPy writes, with nothing
 * but spaces between them. Looks at each character once. Not thread-safe.
 */
final class NpyTokens {
  /** What a token is. */
  enum Kind {
    /** One of <code>{}()[],:</code>. */
    SIGN,
    /** Its text is what stands between the quotes. */
    STRING,
    /** Digits, perhaps after a minus. */
    NUMBER,
    /** Such as True. */
    WORD,
    END
  }

  private static final String SIGNS = "{}()[],:";

  private final String file;
  private final String text;

  private int next;
  private Kind kind = Kind.END;
  private String token = "";

  /**
   * Tokens of {@code text}; there is none before the first {@link #advance}.
   *
   * @param file what it is from, for messages
   */
  NpyTokens(String file, String text) {
    this.file = file;
    this.text = text;
  }

  /** What the current token is. */
  Kind kind() {
    return kind;
  }

  /** The current token, without quotes. */
  String token() {
    return token;
  }

  /** Whether the current token is this sign. */
  boolean is(char sign) {
    return kind == Kind.SIGN && token.charAt(0) == sign;
  }

  /** The current token for a message. */
  String shown() {
    return switch (kind) {
      case END -> "the end of the header";
      case STRING -> "the string '%s'".formatted(Shown.of(token));
      default -> Shown.of(token);
    };
  }

  /** Goes on to the next token; there are ends without end. */
  void advance() {
    while (next < text.length() && text.charAt(next) == ' ') {
      next++;
    }
    if (next == text.length()) {
      take(Kind.END, next, next);
      return;
    }
    char first = text.charAt(next);
    if (SIGNS.indexOf(first) >= 0) {
      take(Kind.SIGN, next, next + 1);
    } else if (first == '\'' || first == '"') {
      takeString(first);
    } else if (isLetter(first)) {
      take(Kind.WORD, next, endOfWord(next));
    } else if (first == '-' || isDigit(first)) {
      takeNumber();
    } else {
      throw broken("unexpected content at character %d".formatted(next));
    }
  }

  private void takeString(char quote) {
    int end = text.indexOf(quote, next + 1);
    if (end < 0) {
      throw broken("the string that begins at character %d has no end".formatted(next));
    }
    take(Kind.STRING, next + 1, end);
    next = end + 1;
    if (token.indexOf('\\') >= 0) {
      throw broken("the string '%s' has a backslash".formatted(Shown.of(token)));
    }
  }

  private void takeNumber() {
    int digits = text.charAt(next) == '-' ? next + 1 : next;
    int end = endOfWord(digits);
    take(Kind.NUMBER, next, end);
    String number = text.substring(digits, end);
    boolean leadingZero = number.length() > 1 && number.charAt(0) == '0';
    if (number.isEmpty() || leadingZero || !number.chars().allMatch(c -> isDigit((char) c))) {
      throw broken("%s is not a whole number in plain digits".formatted(shown()));
    }
  }

  /** The dot too, so that a message shows all of 1.5. */
  private int endOfWord(int begin) {
    int end = begin;
    while (end < text.length() && isOfWord(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isOfWord(char c) {
    return isLetter(c) || isDigit(c) || c == '.';
  }

  private static boolean isLetter(char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private void take(Kind kind, int begin, int end) {
    this.kind = kind;
    token = text.substring(begin, end);
    next = end;
  }

  private FileFormatException broken(String problem) {
    return new FileFormatException(file, "in the header, " + problem);
  }
}
