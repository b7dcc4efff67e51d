package io.flockgate.client.http;

import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The JVM's own trust and keys, for clients that were given none. Loading them takes long. */
public final class DefaultTrust {
    private DefaultTrust() {}

    /** The given context, or else the JVM's own. */
    public static SSLContext unless(@Nullable SSLContext given) {
        if (given != null) {
            return given;
        }
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException unusable) {
            throw new IllegalStateException("the JVM has no usable TLS", unusable);
        }
    }
}
