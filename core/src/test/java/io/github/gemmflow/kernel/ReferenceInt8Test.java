// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.kernel;

import io.github.gemmflow.kit.Int8Contract;

class ReferenceInt8Test extends Int8Contract {
  @Override
  protected Kernel kernel() {
    return new ReferenceKernel();
  }
}
