package io.flockgate.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A back end's report that a grant has certainly ended.
 *
 * @param reason the kind of loss
 * @param message the loss in words, without the token
 * @param cause the underlying failure, if there is one
 */
public record Loss(
        LostReason reason, String message, @Nullable Throwable cause) {
    public Loss {
        Objects.requireNonNull(reason);
        Objects.requireNonNull(message);
    }

    /** A loss without an underlying failure. */
    public static Loss of(LostReason reason, String message) {
        return new Loss(reason, message, null);
    }
}
