// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DomainsTest {
  @Test
  void labelsBecomeNumbersInTheOrderOfTheLowestRanks() {
    Domains domains = Domains.of(7, -2, 7, 5, -2);
    assertEquals("5 ranks on 3 hosts [[0, 2], [1, 4], [3]]", domains.toString());
    assertEquals(1, domains.domainOf(4));
    assertEquals(1, domains.indexOf(4));
    assertEquals(2, domains.member(0, 1));
    assertEquals(Domains.of(0, 1, 0, 2, 1), domains);
  }

  @Test
  void aGroupHasTheDomainsOfItsRanks() {
    assertEquals(Domains.of(0, 1, 1), Domains.of(0, 0, 1, 2, 2).restrictedTo(2, 3, 4));
    assertEquals(1, Domains.single(9).count());
    assertThrows(IllegalArgumentException.class, Domains::of);
  }

  @Test
  void manyRanksAreCounted() {
    int[] two = IntStream.range(0, 256).map(rank -> rank / 2).toArray();
    assertEquals("256 ranks, 128 hosts x 2 ranks", Domains.of(two).toString());
    int[] uneven = IntStream.range(0, 17).map(rank -> rank / 8).toArray();
    assertEquals("17 ranks, 2 hosts x 8 ranks, 1 host x 1 rank", Domains.of(uneven).toString());
    int[] listed = IntStream.range(0, 16).map(rank -> rank / 8).toArray();
    assertEquals("16 ranks on 2 hosts [[0,", Domains.of(listed).toString().substring(0, 24));
  }
}
