// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.text;

import java.util.List;

/**
 * Text up to the first of some texts that end it. What may be the beginning of one of them is held
 * back until it is known not to be.
 */
public final class StopText {
  private final List<String> stops;
  private String held = "";
  private boolean isFound;

  public StopText(List<String> stops) {
    this.stops = List.copyOf(stops);
  }

  /** Adds some text, and returns what of it is certain to be before the end. */
  public String add(String text) {
    if (isFound) {
      return "";
    }
    String all = held + text;
    int end = all.length();
    for (String stop : stops) {
      int at = all.indexOf(stop);
      if (at >= 0 && at < end) {
        end = at;
        isFound = true;
      }
    }
    int certain = isFound ? end : all.length() - heldBack(all);
    held = all.substring(certain);
    return all.substring(0, certain);
  }

  /** The longest end of a text that one of those that stop it may begin with. */
  private int heldBack(String all) {
    int longest = 0;
    for (String stop : stops) {
      for (int length = Math.min(stop.length() - 1, all.length()); length > longest; length--) {
        if (all.regionMatches(all.length() - length, stop, 0, length)) {
          longest = length;
        }
      }
    }
    return longest;
  }

  /** Whether one of the texts has come: nothing does after it. */
  public boolean isFound() {
    return isFound;
  }

  /** What was held back, when no more comes. */
  public String end() {
    return isFound ? "" : held;
  }
}
