package io.flockgate.bench.load;

/** The only kind of answer a step of a round may get. */
enum Expected {
    GRANT("acquire"),
    RELEASED("release");

    private final String request;

    Expected(String request) {
        this.request = request;
    }

    /** The name of the request, for messages. */
    String request() {
        return request;
    }
}
