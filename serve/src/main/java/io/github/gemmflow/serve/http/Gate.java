// SPDX-License-Identifier: Apache-2.0
package io.github.gemmflow.serve.http;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Filter before all pages: refuses paths that only begin as theirs do, and requests for another
 * host. A page of any web site can have its own name point to this server, and would then read its
 * answers; numbers cannot be made to point elsewhere.
 */
final class Gate extends Filter {
  /** A name or an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
  private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]+]|[^:]*)(:[0-9]*)?");

  private static final Pattern NUMBERS = Pattern.compile("\\[.*]|[0-9]{1,3}(\\.[0-9]{1,3}){3}");

  private final Set<String> names = new HashSet<>();
  private final Metrics metrics;

  /**
   * A gate for a server.
   *
   * @param names that clients may ask it by, beside localhost and numbers
   */
  Gate(List<String> names, Metrics metrics) {
    this.names.add("localhost");
    names.forEach(name -> this.names.add(name.toLowerCase(Locale.ROOT)));
    this.metrics = metrics;
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    List<String> hosts = exchange.getRequestHeaders().getOrDefault("Host", List.of());
    if (hosts.size() != 1) {
      refuse(exchange, 400, "a request must have one Host header, not " + hosts.size());
    } else if (!isOurs(hosts.getFirst())) {
      refuse(
          exchange,
          403,
          "'%s' is not a name of this server: use an IP address or localhost, or start it with --allowed-hosts"
              .formatted(hosts.getFirst()));
    } else if (!exchange.getRequestURI().getPath().equals(exchange.getHttpContext().getPath())) {
      refuse(exchange, 404, "no such page");
    } else {
      chain.doFilter(exchange);
    }
  }

  private boolean isOurs(String host) {
    Matcher parts = HOST.matcher(host.toLowerCase(Locale.ROOT));
    return parts.matches()
        && (names.contains(parts.group(1)) || NUMBERS.matcher(parts.group(1)).matches());
  }

  /** Answers that there is no answer. */
  void refuse(HttpExchange exchange, int status, String message) throws IOException {
    try (exchange) {
      metrics.answer(status);
      Replies.json(exchange, status, Answer.error(message));
    }
  }

  @Override
  public String description() {
    return "refuses other hosts and paths";
  }
}
