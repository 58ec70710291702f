// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.gemmflow.json.JsonTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A report that a real browser shows, and all that happens meanwhile. */
final class OpenReport {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static @Nullable DrivenChromium browser;

  private final DevTools page;
  private final Path file;
  private String chart = "timeline";

  private OpenReport(DevTools page, Path file) {
    this.page = page;
    this.file = file;
  }

  static OpenReport open(Path file, int width, int height, String theme) throws IOException {
    OpenReport report = new OpenReport(browser().devTools(), file);
    report.page.openEmptyPage("the browser does not answer");
    for (String host : List.of("Runtime", "Log", "Network")) {
      report.page.call(host + ".enable", Map.of());
    }
    report.page.call(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    report.colors(theme);
    report.page.open(file.toUri());
    return report;
  }

  /** One for all tests of this process, because it takes two seconds to start. */
  private static synchronized DrivenChromium browser() throws IOException {
    DrivenChromium started = browser;
    if (started == null) {
      started = DrivenChromium.start(Browser.find(null), PATIENCE);
      Runtime.getRuntime().addShutdownHook(new Thread(started::close));
      browser = started;
    }
    return started;
  }

  /** Lets the page think that the user prefers light or dark. */
  void colors(String theme) throws IOException {
    Map<String, String> feature = Map.of("name", "prefers-color-scheme", "value", theme);
    page.call("Emulation.setEmulatedMedia", Map.of("features", List.of(feature)));
  }

  /** Another chart than the timeline, for expressions and the mouse. */
  void chart(String id) {
    chart = id;
  }

  /** The value of an expression, in which {@code chart} is the chart. */
  @Nullable Object evaluate(String expression) throws IOException {
    return page.evaluate(
        "(chart => (%s))(echarts.getInstanceByDom(document.getElementById('%s')))"
            .formatted(expression, chart));
  }

  /** The value of an expression that needs no chart. */
  @Nullable Object value(String expression) throws IOException {
    return page.evaluate(expression);
  }

  /** The first value of an expression that is true, looked at whenever the page is drawn. */
  @Nullable Object await(String expression) throws IOException {
    return evaluate(
        "new Promise(done => { const look = () => { const value = (%s); value ? done(value) : requestAnimationFrame(look) }; look() })"
            .formatted(expression));
  }

  /** Moves the mouse to where a point is drawn, and does something there. */
  void mouse(String type, double x, double y, Map<String, Object> more) throws IOException {
    evaluate("chart.getDom().scrollIntoView({block: 'center'})");
    Map<String, Object> at =
        JsonTree.object(
            evaluate(
                "(([x, y], box) => ({x: box.x + x, y: box.y + y}))(chart.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [%s, %s]), chart.getDom().getBoundingClientRect())"
                    .formatted(x, y)));
    Map<String, Object> event = new LinkedHashMap<>(at);
    event.put("type", type);
    event.putAll(more);
    page.call("Input.dispatchMouseEvent", event);
  }

  /** What the tooltip of the chart says; waits until there is one. */
  String tooltip() throws IOException {
    return String.valueOf(await("chart.getDom().innerText"));
  }

  void screenshot(String name, int width) throws IOException {
    Path directory = Files.createDirectories(Path.of("target", "report-screenshots"));
    Files.write(directory.resolve(name), capture(width));
  }

  /** All of the page, as high as it is. */
  private byte[] capture(int width) throws IOException {
    Object height = page.evaluate("document.querySelector('main').offsetHeight");
    Map<String, Object> clip = new LinkedHashMap<>(Map.of("x", 0, "y", 0, "width", width));
    clip.put("height", Objects.requireNonNull(height));
    clip.put("scale", 1);
    Map<String, Object> reply =
        page.call("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip", clip));
    return Base64.getDecoder().decode(String.valueOf(reply.get("data")));
  }

  /** Nothing was complained about, and nothing but the file was asked for. */
  void assertQuiet() {
    List<DevTools.Event> complaints =
        page.events().stream()
            .filter(event -> isComplaint(event.method(), event.params()))
            .toList();
    assertEquals(List.of(), complaints);
    Set<String> asked =
        page.events().stream()
            .filter(event -> event.method().equals("Network.requestWillBeSent"))
            .map(event -> String.valueOf(JsonTree.object(event.params().get("request")).get("url")))
            .filter(url -> !url.startsWith("data:"))
            .collect(Collectors.toSet());
    assertEquals(Set.of(file.toUri().toString()), asked);
  }

  private static boolean isComplaint(String method, Map<String, Object> params) {
    return method.equals("Runtime.exceptionThrown")
        || method.equals("Log.entryAdded")
        || (method.equals("Runtime.consoleAPICalled")
            && Set.of("error", "warning", "assert").contains(params.get("type")));
  }
}
