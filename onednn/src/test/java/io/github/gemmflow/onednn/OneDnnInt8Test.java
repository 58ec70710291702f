// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.onednn;

import io.github.gemmflow.kernel.Kernel;
import io.github.gemmflow.kit.Int8Contract;

class OneDnnInt8Test extends Int8Contract {
  @Override
  protected Kernel kernel() {
    return new OneDnnKernel();
  }
}
