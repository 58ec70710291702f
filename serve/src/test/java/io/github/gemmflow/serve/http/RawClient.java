// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Client that sends bytes, whatever they are. */
final class RawClient implements AutoCloseable {
  private final Socket socket;

  RawClient(int port, String request) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) Client.PATIENCE.toMillis());
    send(request);
  }

  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Waits for status and headers of the answer. */
  String head() throws IOException {
    StringBuilder head = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0 && head.indexOf("\r\n\r\n") < 0; next = in.read()) {
      head.append((char) next);
    }
    return head.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
