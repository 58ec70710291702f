/**
 * The two sides of a step and what runs between them: the communication thread moves chunks between
 * hosts, the compute lane multiplies what has arrived, and counters in the window tell each what
 * the other has done.
 */
@NullMarked
package io.github.gemmflow.pipeline;

import org.jspecify.annotations.NullMarked;
