package io.flockgate.gateway.server.http;

import java.io.IOException;

/**
 * A machine that speaks FleetLock as Zincati does: no Content-Type, its header in lower case, its
 * body over several lines.
 */
final class FleetNode implements AutoCloseable {
    static final String HEADER = "fleet-lock-protocol: true\r\n";

    private final RawHttp http;
    private final String body;

    FleetNode(int port, String group, String id) throws IOException {
        this.http = RawHttp.of(port);
        this.body = body(group, id);
    }

    static String body(String group, String id) {
        return "{\n  \"client_params\": {\n    \"id\": \"" + id + "\",\n    \"group\": \"" + group + "\"\n  }\n}";
    }

    Response preReboot() throws IOException {
        return http.ask("POST", "/v1/pre-reboot", HEADER, body);
    }

    Response steadyState() throws IOException {
        return http.ask("POST", "/v1/steady-state", HEADER, body);
    }

    @Override
    public void close() throws IOException {
        http.close();
    }
}
