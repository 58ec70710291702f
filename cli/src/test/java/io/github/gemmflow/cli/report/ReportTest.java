// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.gemmflow.Config;
import io.github.gemmflow.LocalWorld;
import io.github.gemmflow.matrix.DType;
import io.github.gemmflow.measure.Progress;
import io.github.gemmflow.measure.Verdict;
import io.github.gemmflow.measure.bench.LayerBenchmark;
import io.github.gemmflow.measure.bench.Result;
import io.github.gemmflow.measure.layer.Layer;
import io.github.gemmflow.measure.layer.Operation;
import io.github.gemmflow.measure.record.RecordedStep;
import io.github.gemmflow.measure.record.Trace;
import io.github.gemmflow.trace.Span;
import io.github.gemmflow.tuning.Tuning;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** In a real browser: Chromium without a window. */
@Tag("full")
class ReportTest {
  @TempDir private static Path directory;

  private static RecordedStep recording = new RecordedStep(1, List.of(), List.of());
  private static Path report = Path.of("");
  private static Verdict verdict = new Verdict(false, "");

  /** Four ranks, of which two each pretend to share a host. */
  @BeforeAll
  static void measure() throws IOException {
    recording = measure(Operation.GATHER);
    report = directory.resolve(Operation.GATHER + ".html");
  }

  private static RecordedStep measure(Operation operation) throws IOException {
    Layer.Size size = new Layer.Size(operation, 512, 128, 96, DType.F32);
    LayerBenchmark benchmark = new LayerBenchmark(size, 1, 2, 9, true);
    AtomicReference<Result> first = new AtomicReference<>();
    LocalWorld.onHosts(0, 0, 1, 1)
        .config(Config.builder().threads(1).tuning(Tuning.DEFAULT.withChunkRows(32)).build())
        .run(
            world -> {
              Result result = benchmark.run(world, Progress.NONE, () -> 0);
              if (world.rank() == 0) {
                first.set(result);
              }
            });
    Result result = Objects.requireNonNull(first.get());
    if (operation == Operation.GATHER) {
      verdict = result.verdict();
    }
    Path figures = directory.resolve(operation + ".json");
    Files.writeString(figures, result.json());
    RecordedStep recorded = Objects.requireNonNull(result.recording());
    write(operation + ".html", figures, Trace.write(recorded));
    return recorded;
  }

  private static Path write(String name, Path figures, String trace) throws IOException {
    Path traceFile = Files.writeString(directory.resolve(name + ".trace.json"), trace);
    String html = Report.write(List.of(figures), traceFile);
    return Files.writeString(directory.resolve(name), html);
  }

  @ParameterizedTest
  @CsvSource({"1280, 900, light", "1280, 900, dark", "390, 844, light", "390, 844, dark"})
  void fitsAndIsQuiet(int width, int height, String theme) throws IOException {
    OpenReport page = OpenReport.open(report, width, height, theme);
    Object wide = page.evaluate("document.scrollingElement.scrollWidth - innerWidth");
    assertTrue(wide instanceof Double more && more <= 0, () -> "too wide by " + wide);
    assertEquals((double) width, page.evaluate("innerWidth"));
    assertEquals("512 × 128 × 96 F32", page.evaluate("document.querySelector('h1').innerText"));
    assertEquals(verdict.text(), page.evaluate("document.getElementById('verdict').innerText"));
    double rows = verdict.decided() ? 7 : 3;
    assertEquals(rows, page.evaluate("document.querySelectorAll('#figures tr').length"));
    page.screenshot("%d-%s.png".formatted(width, theme), width);
    page.assertQuiet();
  }

  @ParameterizedTest
  @EnumSource(names = {"GATHER", "REDUCE_SCATTER"})
  void everySpanIsThere(Operation operation) throws IOException {
    RecordedStep expected = operation == Operation.GATHER ? recording : measure(operation);
    OpenReport page = OpenReport.open(directory.resolve(operation + ".html"), 1280, 900, "light");
    for (Span.Kind kind : Span.Kind.values()) {
      Object shown =
          page.evaluate(
              "chart.getOption().series.find(each => each.name === '%s').data.length"
                  .formatted(kind));
      assertEquals((double) count(expected, kind), shown, kind::toString);
    }
    assertTrue(count(expected, Span.Kind.ARRIVAL) > 0, "rows came from another host");
    assertEquals(operation != Operation.GATHER, count(expected, Span.Kind.ADD) > 0);
    page.assertQuiet();
  }

  private static long count(RecordedStep of, Span.Kind kind) {
    return of.ranks().stream().flatMap(List::stream).filter(s -> s.kind() == kind).count();
  }

  /** Files of two layers on 1, 2 and 4 ranks, as a sweep writes them. */
  @ParameterizedTest
  @CsvSource({"1280, 900, light", "1280, 900, dark", "390, 844, light", "390, 844, dark"})
  void scalingOverRanks(int width, int height, String theme) throws IOException {
    Path sweep = Files.createTempDirectory(directory, "sweep");
    for (int ranks : List.of(4, 1, 2)) {
      writeFigures(sweep, 512, ranks, "F32");
      writeFigures(sweep, 4096, ranks, "F32");
    }
    Path file =
        Files.writeString(directory.resolve("scaling.html"), Report.write(List.of(sweep), null));
    OpenReport page = OpenReport.open(file, width, height, theme);
    Object wide = page.evaluate("document.scrollingElement.scrollWidth - innerWidth");
    assertTrue(wide instanceof Double more && more <= 0, () -> "too wide by " + wide);
    assertEquals("2 shapes, gather F32", page.evaluate("document.querySelector('h1').innerText"));
    assertEquals(
        "From 1 to 4 ranks throughput grows 2.3× to 3.6×.",
        page.evaluate("document.getElementById('verdict').innerText"));
    assertEquals(7.0, page.evaluate("document.querySelectorAll('#sweep tr').length"));
    assertEquals(
        "[[1,58],[2,108],[4,208]]",
        page.evaluate(
            "JSON.stringify(echarts.getInstanceByDom(document.getElementById('scaling')).getOption().series[0].data)"));
    page.screenshot("scaling-%d-%s.png".formatted(width, theme), width);
    page.assertQuiet();
  }

  /** Figures with a throughput of 50 GFLOP/s per rank, and some more for many rows. */
  private static void writeFigures(Path sweep, int m, int ranks, String dtype) throws IOException {
    String text =
        Files.readString(directory.resolve(Operation.GATHER + ".json"))
            .replace("\"ranks\": 4", "\"ranks\": " + ranks)
            .replace("\"m\": 512", "\"m\": " + m)
            .replace("\"dtype\": \"F32\"", "\"dtype\": \"" + dtype + "\"")
            .replaceFirst(
                "(\"pipelined\":.*\"gflops\": )[0-9.]+", "$1" + (50 * ranks + m / 64) + ".0");
    Files.writeString(Files.createTempFile(sweep, "figures", ".json"), text);
  }

  @Test
  void theWheelZoomsAndAButtonGoesBack() throws IOException {
    OpenReport page = OpenReport.open(report, 1280, 900, "light");
    String range = "(zoom => zoom.end - zoom.start)(chart.getOption().dataZoom[0])";
    String left = "chart.convertToPixel({xAxisIndex: 0}, 0)";
    assertEquals(100.0, page.evaluate(range));
    Object before = page.evaluate(left);
    Map<String, Object> up = Map.of("deltaX", 0, "deltaY", -240);
    double middle = (end() - start()) / 2e6;
    page.mouse("mouseWheel", middle, 1, up);
    page.await(range + " < 100");
    assertEquals(true, page.evaluate("%s < %s".formatted(left, before)), "0 ms is out of sight");
    page.evaluate("document.getElementById('zoom-all').click()");
    page.await(range + " === 100");
    page.assertQuiet();
  }

  /** The time of the report begins with the first span, whichever rank's it is. */
  private static long start() {
    return recording.ranks().stream().flatMap(List::stream).mapToLong(Span::begin).min().orElse(0);
  }

  private static long end() {
    return recording.ranks().stream().flatMap(List::stream).mapToLong(Span::end).max().orElse(0);
  }

  @Test
  void pointingAtABarTellsItsRows() throws IOException {
    int rank = 2;
    Span longest =
        recording.ranks().get(rank).stream()
            .filter(span -> span.kind() == Span.Kind.WORK)
            .max(Comparator.comparingLong(span -> span.end() - span.begin()))
            .orElseThrow();
    OpenReport page = OpenReport.open(report, 1280, 900, "light");
    double middle = (longest.begin() + longest.end()) / 2e6 - start() / 1e6;
    // Each rank has two tracks, of which the second computes.
    page.mouse("mouseMoved", middle, 2 * rank + 1, Map.of());
    String text = page.tooltip();
    String rows =
        "multiply rows %d-%d"
            .formatted(longest.firstRow(), longest.firstRow() + longest.rows() - 1);
    assertTrue(text.startsWith("rank 2, compute thread 0\n" + rows + "\n"), text);
    assertTrue(
        text.contains(String.format(Locale.ROOT, "%.4f to ", (longest.begin() - start()) / 1e6)),
        text);
    page.assertQuiet();
  }

  @Test
  void chartsFollowTheColours() throws IOException {
    OpenReport page = OpenReport.open(report, 1280, 900, "light");
    String color = "chart.getOption().series[1].itemStyle.color";
    Object light = page.evaluate(color);
    page.colors("dark");
    Object dark = page.await("%s !== '%s' && %s".formatted(color, light, color));
    assertNotEquals(light, dark);
    page.assertQuiet();
  }

  /** A rank may begin before rank 0; then the step is as long as all of it. */
  @Test
  void spansThatBeginBeforeRankZeroCount() throws IOException {
    String trace =
        """
        {"traceEvents": [
          {"name": "a", "cat": "WORK", "ph": "X", "pid": 0, "tid": 1, "ts": 0, "dur": 6000},
          {"name": "b", "cat": "WORK", "ph": "X", "pid": 1, "tid": 1, "ts": -4000, "dur": 9000}]}
        """;
    Path file = write("early.html", directory.resolve(Operation.GATHER + ".json"), trace);
    OpenReport page = OpenReport.open(file, 1280, 900, "light");
    String lead =
        String.valueOf(page.evaluate("document.getElementById('timeline-lead').innerText"));
    assertTrue(lead.startsWith("One overlapped step of 10.00 ms"), lead);
    Object cells =
        page.evaluate(
            "[...document.querySelectorAll('#shares td:last-child')].map(c => c.innerText).join()");
    assertEquals("60.0 %,90.0 %", cells);
    page.assertQuiet();
  }

  /** Names in a file are text, whatever they look like. */
  @Test
  void namesAreNoHtml() throws IOException {
    String name = "rows </script><img src=x onerror=alert(1)><!--<script>";
    String trace =
        """
        {"traceEvents": [{"name": "%s", "cat": "WORK", "ph": "X", "pid": 0, "tid": 1, "ts": 0, "dur": 1000}]}
        """
            .formatted(name);
    Path file = write("names.html", directory.resolve(Operation.GATHER + ".json"), trace);
    OpenReport page = OpenReport.open(file, 1280, 900, "light");
    page.mouse("mouseMoved", 0.5, 0, Map.of());
    assertTrue(page.tooltip().contains(name), page.tooltip());
    page.assertQuiet();
  }

  @Test
  void namesOfLinesAreNoHtml() throws IOException {
    String name = "F32<img src=x onerror=alert(1)>";
    Path sweep = Files.createTempDirectory(directory, "sweep");
    writeFigures(sweep, 512, 1, "F32");
    writeFigures(sweep, 512, 1, name);
    writeFigures(sweep, 512, 4, name);
    Path file =
        Files.writeString(directory.resolve("lines.html"), Report.write(List.of(sweep), null));
    OpenReport page = OpenReport.open(file, 1280, 900, "light");
    page.chart("scaling");
    page.mouse("mouseMoved", 4, 208, Map.of());
    assertTrue(page.tooltip().startsWith("gather " + name + " 512 "), page.tooltip());
    page.assertQuiet();
  }

  /** Even if a page took a name for HTML, no script in it would run. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          script-src-attr | place.innerHTML = `<img src="data:," onerror="document.title = 'ran'">`; place.firstChild.addEventListener('error', done)
          script-src-elem | place.append(Object.assign(document.createElement('script'), {textContent: 'document.title = "ran"'})); done()
          """)
  void otherScriptsDoNotRun(String directive, String insert) throws IOException {
    OpenReport page = OpenReport.open(report, 1280, 900, "light");
    Object title = page.value("document.title");
    page.value(
        "void (window.refused = new Promise(done => document.addEventListener('securitypolicyviolation', event => done(event.effectiveDirective))))");
    page.value(
        "new Promise(done => { const place = document.createElement('p'); document.body.append(place); %s })"
            .formatted(insert));
    assertEquals(title, page.value("document.title"));
    assertEquals(directive, page.value("refused"));
  }

  @Test
  void aBrowserLeavesNothingBehind() throws IOException {
    Browser browser = new Browser(Browser.find(null));
    String shown = browser.run(List.of("--dump-dom", "data:text/html,<p>2 hosts</p>"));
    assertTrue(shown.contains("<p>2 hosts</p>"), shown);
    assertTrue(Files.exists(browser.profile()));
    browser.close();
    assertTrue(Files.notExists(browser.profile()));
    String profile = browser.profile().toString();
    assertEquals(
        List.of(),
        ProcessHandle.current()
            .descendants()
            .filter(each -> each.info().commandLine().orElse("").contains(profile))
            .toList());
  }

  @Test
  void fiftyThousandSpans() throws IOException {
    int perThread = 6250;
    List<List<Span>> ranks = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      List<Span> spans = new ArrayList<>();
      for (int i = 0; i < perThread; i++) {
        spans.add(new Span(Span.Kind.ARRIVAL, Span.COMM, i * 8000L, i * 8000L + 100, i, 1));
        spans.add(new Span(Span.Kind.WORK, 0, i * 8000L, i * 8000L + 7000, i, 1));
      }
      ranks.add(spans);
    }
    List<String> hosts = List.of("alpha", "alpha", "<b>beta.example.org", "<b>beta.example.org");
    Path figures = directory.resolve(Operation.GATHER + ".json");
    Path file = write("many.html", figures, Trace.write(new RecordedStep(1, hosts, ranks)));
    OpenReport page = OpenReport.open(file, 1280, 900, "light");
    Object took =
        page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart");
    System.out.println("a page of 50,000 spans opened in " + took + " ms");
    assertTrue(took instanceof Double millis && millis < 10_000, () -> took + " ms");
    assertEquals(25_000.0, page.evaluate("chart.getOption().series[1].data.length"));
    Object drawn = page.evaluate("chart.getZr().storage.getDisplayList(true).length");
    assertTrue(drawn instanceof Double bars && bars < 12_000, () -> drawn + " bars are drawn");
    page.mouse("mouseMoved", 24.0, 1, Map.of());
    assertTrue(page.tooltip().contains("multiply rows "), page.tooltip());
    assertTrue(page.tooltip().contains("rank 0 on alpha"), page.tooltip());
    assertEquals(
        "{host|alpha}  {what|compute}, {host|<b>beta}  {what|compute}",
        page.evaluate("[1, 5].map((row) => trackLabel(step.tracks, row, false)).join(', ')"));
    page.assertQuiet();
  }
}
