// SPDX-License-Identifier: Apache-2.0
/** The guides and the Javadoc as a static site. */
@NullMarked
package io.github.gemmflow.site;

import org.jspecify.annotations.NullMarked;
