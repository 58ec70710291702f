// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

/** A request that is not answered, with the status and the message that the client gets. */
final class ApiException extends Exception {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String text;

  ApiException(int status, String message) {
    super(message);
    this.status = status;
    this.text = message;
  }

  /** What the client is told. */
  String text() {
    return text;
  }

  int status() {
    return status;
  }
}
