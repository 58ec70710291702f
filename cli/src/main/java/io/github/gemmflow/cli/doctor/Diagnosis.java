// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor;

import io.github.gemmflow.cli.doctor.check.Finding;
import io.github.gemmflow.cli.doctor.check.Status;
import io.github.gemmflow.json.Json;
import io.github.gemmflow.measure.Counted;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All findings.
 *
 * @param title what was looked at
 */
public record Diagnosis(String title, List<Finding> findings) {
  private static final int WIDTH = 80;
  private static final int TEXT_AT = 24;

  /** Whether nothing stands in the way. */
  public boolean isReady() {
    return count(Status.PROBLEM) == 0;
  }

  /** For people: no line is longer than 80 columns, unless a single word is. */
  public String text() {
    StringBuilder text = new StringBuilder(title).append("\n\n");
    for (Finding finding : findings) {
      wrap(text, "%-9s%-15s".formatted(finding.status(), finding.name()), finding.text());
      String mark = "fix: ";
      for (String fix : finding.fixes()) {
        wrap(text, " ".repeat(TEXT_AT) + mark, fix);
        mark = "or: ";
      }
    }
    return text.append('\n').append(summary()).append('\n').toString();
  }

  /** For programs. */
  public String json() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("title", title);
    fields.put("ready", isReady());
    fields.put("problems", count(Status.PROBLEM));
    fields.put("warnings", count(Status.WARNING));
    fields.put("summary", summary());
    fields.put("checks", findings.stream().map(Diagnosis::fields).toList());
    return Json.write(fields);
  }

  private static Map<String, Object> fields(Finding finding) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", finding.name());
    fields.put("status", finding.status().toString());
    fields.put("text", finding.text());
    if (!finding.fixes().isEmpty()) {
      fields.put("fixes", finding.fixes());
    }
    return fields;
  }

  private String summary() {
    long problems = count(Status.PROBLEM);
    long warnings = count(Status.WARNING);
    if (problems == 0 && warnings == 0) {
      return "Ready: all checks passed.";
    }
    String counted = Counted.of(warnings, "warning");
    if (problems == 0) {
      return "Ready: no problem, %s.".formatted(counted);
    }
    String both = Counted.of(problems, "problem");
    return warnings == 0 ? both + "." : "%s, %s.".formatted(both, counted);
  }

  private long count(Status status) {
    return findings.stream().filter(finding -> finding.status() == status).count();
  }

  /** Words after a start that stands alone; further lines begin where the words of the first do. */
  private static void wrap(StringBuilder text, String start, String words) {
    int used = start.length();
    text.append(start);
    boolean first = true;
    for (String word : words.strip().split("\\s+", -1)) {
      if (!first && used + 1 + word.length() > WIDTH) {
        text.append('\n').append(" ".repeat(start.length()));
        used = start.length();
      } else if (!first) {
        text.append(' ');
        used++;
      }
      text.append(word);
      used += word.length();
      first = false;
    }
    text.append('\n');
  }
}
