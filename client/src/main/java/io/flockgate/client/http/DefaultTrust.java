package io.flockgate.client.http;

import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
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

    /**
     * A context that trusts no certificate, for clients that do not use TLS, because an HTTP client
     * without a context would load the JVM's trust store.
     */
    public static SSLContext none() {
        try {
            SSLContext nobody = SSLContext.getInstance("TLS");
            nobody.init(null, new TrustManager[0], null);
            return nobody;
        } catch (GeneralSecurityException unusable) {
            throw new IllegalStateException("the JVM has no usable TLS", unusable);
        }
    }
}
