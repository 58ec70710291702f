// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * A file that should be JSON of a certain kind.
 *
 * @param wanted what should be in it, and which command writes that
 */
record JsonFile(Path path, String text, String wanted) {
  /** Of a name that comes twice, we would check one value and a browser use the other. */
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** Looks at the tokens of a file; throws what {@link #refuse} makes if they are not right. */
  interface Check {
    void check(JsonParser json);
  }

  static JsonFile read(Path path, String wanted) throws IOException {
    try {
      return new JsonFile(path, Files.readString(path), wanted);
    } catch (NoSuchFileException e) {
      throw new IOException("no such file: %s; %s".formatted(path, wanted), e);
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("%s is not text in UTF-8; %s".formatted(path, wanted), e);
    } catch (IOException e) {
      throw new IOException("cannot read %s: %s".formatted(path, e), e);
    }
  }

  /** Runs a check over the file, all of which must be one JSON value. */
  void run(Check check) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      check.check(json);
      if (json.nextToken() != null) {
        throw refuse(at(json) + "has content after its end");
      }
    } catch (JacksonException e) {
      TokenStreamLocation location = e.getLocation();
      String where = location == null ? "" : " from line %d on".formatted(location.getLineNr());
      throw refuse("is not JSON%s: %s".formatted(where, e.getOriginalMessage()));
    }
  }

  /** Where a parser is, as the beginning of a message. */
  static String at(JsonParser json) {
    return "in line %d ".formatted(json.currentTokenLocation().getLineNr());
  }

  /** The complaint that something else was found. */
  IllegalArgumentException refuse(String found) {
    return new IllegalArgumentException("%s %s; %s".formatted(path, found, wanted));
  }
}
