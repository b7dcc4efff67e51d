package io.flockgate.gateway.http;

/** The result of reading a request's head: a {@link RequestHead}, or a refusal. */
public sealed interface HeadReading permits RequestHead, HeadReading.Refused {
    /** A head that this server does not understand, or that a proxy may read differently. */
    record Refused(int status, String reason) implements HeadReading {}
}
