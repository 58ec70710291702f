// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.trace.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.SettingDescriptor;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** The events are what docs/jfr.md says. */
class EventsTest {
  private static final List<Class<? extends Event>> EVENTS =
      List.of(
          StepEvent.class,
          MultiplyEvent.class,
          AddEvent.class,
          WaitEvent.class,
          ArrivalEvent.class);

  /** What every event has, whoever made it. */
  private static final Set<String> COMMON =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  /** A line of the table: the name of an event, what it tells, its fields. */
  private static final Pattern LINE = Pattern.compile("\\| `(io\\.[\\w.]+)` \\|[^|]*\\|([^|]*)\\|");

  private static final Pattern FIELD = Pattern.compile("`(\\w+)`");

  @Test
  void namesAndFieldsAreDocumented() throws IOException {
    Map<String, Set<String>> documented = new TreeMap<>();
    LINE.matcher(Files.readString(page()))
        .results()
        .forEach(line -> documented.put(line.group(1), fields(line.group(2))));
    Map<String, Set<String>> actual = new TreeMap<>();
    for (Class<? extends Event> event : EVENTS) {
      EventType type = EventType.getEventType(event);
      actual.put(type.getName(), fields(type));
    }
    assertEquals(actual, documented);
  }

  @Test
  void theFileOfSettingsAsksForAllOfThem() throws IOException, ParseException {
    Map<String, String> expected = new TreeMap<>();
    for (Class<? extends Event> event : EVENTS) {
      expected.put(EventType.getEventType(event).getName() + "#enabled", "true");
    }
    Path file = page().resolveSibling("gemmflow.jfc");
    assertEquals(expected, new TreeMap<>(Configuration.create(file).getSettings()));
  }

  @Test
  void aRecordingHasToAskForThem() {
    for (Class<? extends Event> event : EVENTS) {
      EventType type = EventType.getEventType(event);
      Map<String, String> defaults =
          type.getSettingDescriptors().stream()
              .collect(
                  Collectors.toMap(SettingDescriptor::getName, SettingDescriptor::getDefaultValue));
      assertEquals("false", defaults.get("enabled"), type::getName);
      assertEquals("false", defaults.get("stackTrace"), type::getName);
      assertEquals(List.of("Gemmflow"), type.getCategoryNames());
    }
  }

  private static Set<String> fields(String text) {
    return FIELD
        .matcher(text)
        .results()
        .map(field -> field.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> fields(EventType type) {
    return type.getFields().stream()
        .map(ValueDescriptor::getName)
        .filter(name -> !COMMON.contains(name))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Path page() {
    Path here = Path.of("").toAbsolutePath();
    Path inModule = here.resolveSibling("docs").resolve("jfr.md");
    return Files.exists(inModule) ? inModule : here.resolve("docs").resolve("jfr.md");
  }
}
