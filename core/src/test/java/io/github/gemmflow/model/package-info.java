/**
 * An exhaustive check of the slot protocol: every order in which the lanes of a small group can do
 * what the plan lets them do.
 */
@NullMarked
package io.github.gemmflow.model;

import org.jspecify.annotations.NullMarked;
