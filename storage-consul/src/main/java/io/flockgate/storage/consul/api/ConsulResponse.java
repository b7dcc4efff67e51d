package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.kv.Failures;

/**
 * A response of Consul.
 *
 * @param list the entries of a list; none in any other response
 * @param index of {@code X-Consul-Index}; 0 when there was none
 * @param filtered whether Consul reports that it left out entries that the token may not read
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ConsulResponse(int status, byte[] body, Listing list, long index, boolean filtered) {
    boolean ok() {
        return status == 200;
    }

    /** The beginning of the body as one line of text. */
    String words() {
        return Failures.words(body);
    }
}
