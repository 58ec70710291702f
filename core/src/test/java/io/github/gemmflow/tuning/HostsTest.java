// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HostsTest {
  @Test
  void labelsBecomeNumbersInTheOrderOfTheLowestRanks() {
    Hosts hosts = Hosts.of(7, -2, 7, 5, -2);
    assertEquals("5 ranks on 3 hosts [[0, 2], [1, 4], [3]]", hosts.toString());
    assertEquals(1, hosts.hostOf(4));
    assertEquals(1, hosts.indexOf(4));
    assertEquals(2, hosts.member(0, 1));
    assertEquals(Hosts.of(0, 1, 0, 2, 1), hosts);
  }

  @Test
  void aGroupHasTheHostsOfItsRanks() {
    assertEquals(Hosts.of(0, 1, 1), Hosts.of(0, 0, 1, 2, 2).restrictedTo(2, 3, 4));
    assertEquals(1, Hosts.single(9).count());
    assertThrows(IllegalArgumentException.class, Hosts::of);
  }

  @Test
  void manyRanksAreCounted() {
    int[] two = IntStream.range(0, 256).map(rank -> rank / 2).toArray();
    assertEquals("256 ranks, 128 hosts x 2 ranks", Hosts.of(two).toString());
    int[] uneven = IntStream.range(0, 17).map(rank -> rank / 8).toArray();
    assertEquals("17 ranks, 2 hosts x 8 ranks, 1 host x 1 rank", Hosts.of(uneven).toString());
    int[] listed = IntStream.range(0, 16).map(rank -> rank / 8).toArray();
    assertEquals("16 ranks on 2 hosts [[0,", Hosts.of(listed).toString().substring(0, 24));
  }
}
