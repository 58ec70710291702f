// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.benchmarks.peers;

/**
 * Speed of one run of a program.
 *
 * @param prefill tokens of the prompt in a second
 * @param decode milliseconds of a token after it
 * @param first milliseconds until the first token
 * @param bytes that came into the first host for each token, prompt included; NaN if not known
 */
record Speed(double prefill, double decode, double first, double bytes) {}
