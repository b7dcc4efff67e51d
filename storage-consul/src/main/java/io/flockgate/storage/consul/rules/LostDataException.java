package io.flockgate.storage.consul.rules;

import io.flockgate.storage.consul.kv.ConsulException;

/**
 * A refusal to continue with a Consul that has lost data or is another one, because later fences
 * would be below earlier ones.
 */
public final class LostDataException extends ConsulException {
    private static final long serialVersionUID = 1L;

    LostDataException(String message) {
        super(FailureKind.INVALID, Effect.NOT_DONE, message);
    }
}
