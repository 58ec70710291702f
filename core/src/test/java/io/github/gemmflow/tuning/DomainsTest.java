// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
}
