package io.flockgate.gateway.config;

import java.io.Serial;

/** A setting that cannot be used; the message is for the operator and holds no secret. */
final class ConfigException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    ConfigException(String message) {
        super(message);
    }

    String told() {
        return String.valueOf(getMessage());
    }
}
