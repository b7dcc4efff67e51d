package io.flockgate.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Certain news that a grant has ended, from a back end.
 *
 * @param reason the kind of loss
 * @param message the loss in words, without the token
 * @param cause the failure behind it, if there is one
 */
public record Loss(
        LostReason reason, String message, @Nullable Throwable cause) {
    public Loss {
        Objects.requireNonNull(reason);
        Objects.requireNonNull(message);
    }

    /** A loss without a failure behind it. */
    public static Loss of(LostReason reason, String message) {
        return new Loss(reason, message, null);
    }
}
