package io.flockgate.gateway.config;

import java.io.Serial;

/** An option that cannot be used. The message is for the operator and contains no secret. */
final class ConfigException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    ConfigException(String message) {
        super(message);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
