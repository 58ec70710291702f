// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonObjectTest {
  private final JsonObject object =
      JsonObject.parse(
          "a.json",
          """
          {"whole": 7, "half": 0.5, "large": 12345678901, "text": "x", "yes": true, "none": null,
           "inner": {"n": 1}, "list": [{"n": 2}, {"n": 3}], "numbers": [1, 2], "mixed": [1, "b"]}
          """);

  @Test
  void fieldsAreReadByKind() {
    assertEquals(7, object.integer("whole"));
    assertEquals(3, object.integer("none", 3));
    assertEquals(0.5, object.number("half"));
    assertEquals(7.0, object.number("whole"));
    assertEquals(12345678901.0, object.number("large"));
    assertEquals(1.5, object.number("absent", 1.5));
    assertEquals("x", object.text("text", "y"));
    assertEquals("y", object.text("absent", "y"));
    assertTrue(object.flag("yes"));
    assertFalse(object.flag("absent"));
    assertTrue(object.has("whole"));
    assertFalse(object.has("none"));
    assertEquals(1, object.object("inner").integer("n"));
    assertTrue(object.object("absent").fields().isEmpty());
    assertEquals(List.of(2, 3), object.objects("list").stream().map(o -> o.integer("n")).toList());
    assertTrue(object.objects("absent").isEmpty());
    assertEquals(List.of(1, 2), object.integers("numbers"));
    assertEquals(List.of(7), object.integers("whole"));
    assertTrue(object.integers("absent").isEmpty());
  }

  @Test
  void whatIsWrongIsNamed() {
    Map<Executable, String> wrong =
        Map.of(
            () -> object.integer("half"), "a.json: half must be a whole number, but it is 0.500000",
            () -> object.integer("large"), "a.json: large must be a whole number, but it is 123",
            () -> object.integer("absent"), "a.json: absent must be a whole number, but it is miss",
            () -> object.number("text"), "a.json: text must be a number, but it is \"x\"",
            () -> object.flag("text"), "a.json: text must be true or false",
            () -> object.text("whole", ""), "a.json: whole must be a string, but it is 7",
            () -> object.object("list"), "a.json: list must be an object",
            () -> object.objects("numbers"), "a.json: numbers must be an object",
            () -> object.integers("mixed"), "a.json: mixed must be whole numbers",
            () -> object.object("inner").integer("m"), "a.json: inner: m must be a whole number");
    wrong.forEach((call, start) -> assertStartsWith(start, call));
    object.only("whole", "7");
    object.only("absent", "7");
    assertStartsWith("a.json: text \"x\" is not supported", () -> object.only("text", "y"));
  }

  /** Of a name that comes twice, others may use the other value. */
  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"a\": 1} 2", "{\"a\": 1, \"a\": 2}", "nothing"})
  void whatIsNotJsonIsRefused(String text) {
    assertStartsWith("a.json is not JSON: ", () -> JsonObject.parse("a.json", text));
  }

  @Test
  void whatIsNoObjectIsRefused() {
    assertStartsWith("a.json is not a JSON object", () -> JsonObject.parse("a.json", "[1]"));
  }

  private static void assertStartsWith(String start, Executable call) {
    String message =
        String.valueOf(assertThrows(IllegalArgumentException.class, call).getMessage());
    assertTrue(message.startsWith(start), message);
  }
}
