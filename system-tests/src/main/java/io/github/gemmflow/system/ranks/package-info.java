/**
 * What the ranks of a job do. Every class is a main program that reports to whoever launched it.
 */
@NullMarked
package io.github.gemmflow.system.ranks;

import org.jspecify.annotations.NullMarked;
