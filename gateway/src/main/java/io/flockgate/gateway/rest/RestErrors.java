package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.ErrorReplies;
import io.flockgate.gateway.http.Reply;

/** The REST API's replies to failures of the body, the server and the storage. */
public final class RestErrors implements ErrorReplies {
    /** Maximum length of a body. */
    static final int MAX_BODY_BYTES = 1024 * 1024;

    @Override
    public int maxBodyBytes() {
        return MAX_BODY_BYTES;
    }

    @Override
    public Reply bodyTooLarge() {
        return RestReplies.badRequest("body too large (max 1 MiB)");
    }

    @Override
    public Reply bodyFault(String detail) {
        return RestReplies.badRequest(detail);
    }

    @Override
    public Reply overloaded() {
        return RestReplies.OVERLOADED;
    }

    @Override
    public Reply internal() {
        return RestReplies.INTERNAL;
    }

    @Override
    public Reply storageUnavailable() {
        return RestReplies.STORAGE_UNAVAILABLE;
    }
}
