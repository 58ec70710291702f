// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.cli.doctor.check;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Numbers, ascending, that are written as Linux writes lists of CPUs: {@code 0-3,8}.
 *
 * @param numbers each once
 */
public record NumberList(List<Integer> numbers) {
  /** Sorts the numbers. */
  public NumberList {
    numbers = numbers.stream().distinct().sorted().toList();
  }

  public static NumberList of(Collection<Integer> numbers) {
    return new NumberList(List.copyOf(numbers));
  }

  /** Reads a list; blanks around it do not matter, and an empty text is an empty list. */
  public static NumberList parse(String text) {
    return text.isBlank()
        ? new NumberList(List.of())
        : new NumberList(
            Arrays.stream(text.strip().split(",", -1))
                .flatMapToInt(NumberList::range)
                .boxed()
                .toList());
  }

  private static IntStream range(String text) {
    int dash = text.indexOf('-');
    return dash < 0
        ? IntStream.of(Integer.parseInt(text))
        : IntStream.rangeClosed(
            Integer.parseInt(text.substring(0, dash)), Integer.parseInt(text.substring(dash + 1)));
  }

  public int size() {
    return numbers.size();
  }

  /** The numbers that are in another list, too. */
  public NumberList in(NumberList other) {
    return new NumberList(numbers.stream().filter(other.numbers::contains).toList());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int from = 0; from < numbers.size(); ) {
      int to = from;
      while (to + 1 < numbers.size() && numbers.get(to + 1) == numbers.get(to) + 1) {
        to++;
      }
      text.append(text.isEmpty() ? "" : ",").append(numbers.get(from));
      if (to > from) {
        text.append('-').append(numbers.get(to));
      }
      from = to + 1;
    }
    return text.toString();
  }
}
