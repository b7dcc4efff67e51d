package io.flockgate.gateway.server.flood;

/** HTTP requests as bytes. */
final class HttpTexts {
    /** Many of the shortest requests. */
    static final byte[] TINY = Crowd.bytes("GET / HTTP/1.1\r\nHost:\r\n\r\n".repeat(1_000));

    static final byte[] HEAD_OF_MANY_LINES =
            Crowd.bytes("GET /health HTTP/1.1\r\nHost: localhost\r\n" + "a:\r\n".repeat(4_000));

    private HttpTexts() {}

    static byte[] request(String method, String path, String headers) {
        return Crowd.bytes(method + " " + path + " HTTP/1.1\r\nHost:localhost\r\n" + headers + "\r\n");
    }
}
