// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void objects() {
    Map<String, Object> inner = new LinkedHashMap<>();
    inner.put("a \"b\"\\\n", 1.5);
    inner.put("none", Double.NaN);
    assertEquals(
        "{\"x\": {\"a \\\"b\\\"\\\\\\u000a\": 1.50000, \"none\": null}}",
        Json.write(Map.of("x", inner)));
    assertEquals("{\"n\": 12345678901}", Json.write(Map.of("n", 12345678901L)));
    assertEquals("[\n  1,\n  \"b\"\n]", Json.write(List.of(1, "b")));
    assertEquals("[1.50000, null]", Json.write(new double[] {1.5, Double.NaN}));
    assertEquals("{\"t\": true}", Json.write(Map.of("t", true)));
  }
}
