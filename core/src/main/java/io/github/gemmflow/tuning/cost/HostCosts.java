// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.tuning.cost;

/**
 * Costs of what the threads of a rank do besides multiplying.
 *
 * @param stepNanos to begin and end a step
 * @param wakeNanos until a thread that sleeps goes on
 * @param messageNanos of the communication thread, to send or receive a message
 * @param carryNanosPerByte of the communication thread, for each byte of it
 * @param addNanosPerByte to add a partial sum, for each of its bytes
 */
public record HostCosts(
    double stepNanos,
    double wakeNanos,
    double messageNanos,
    double carryNanosPerByte,
    double addNanosPerByte) {
  public HostCosts {
    Costs.check("the cost of a step", stepNanos);
    Costs.check("the cost of waking up", wakeNanos);
    Costs.check("the cost of a message", messageNanos);
    Costs.check("the cost of carrying a byte", carryNanosPerByte);
    Costs.check("the cost of adding a byte", addNanosPerByte);
  }
}
