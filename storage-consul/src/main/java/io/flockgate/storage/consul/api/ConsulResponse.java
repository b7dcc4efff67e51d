package io.flockgate.storage.consul.api;

import java.nio.charset.StandardCharsets;

/**
 * A response of Consul.
 *
 * @param list the entries of a list; none in any other response
 * @param index of {@code X-Consul-Index}; 0 when there was none
 * @param filtered whether Consul says that it left out entries that the token may not read
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ConsulResponse(int status, byte[] body, Listing list, long index, boolean filtered) {
    private static final int WORDS_LENGTH = 300;

    boolean ok() {
        return status == 200;
    }

    /** The beginning of the body as one line of text. Some results of Consul are only a text. */
    String words() {
        String text = new String(body, 0, Math.min(body.length, WORDS_LENGTH), StandardCharsets.UTF_8);
        return text.replaceAll("\\p{Cntrl}+", " ").strip();
    }
}
