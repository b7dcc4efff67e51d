package io.flockgate.client.http;

import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;

/** Failures of connections in words. Pure. */
public final class Reasons {
    private Reasons() {}

    /** The reason of a failure, without the names of classes where there are better words. */
    public static String of(Throwable failure) {
        if (failure instanceof SSLHandshakeException && isCertificate(failure)) {
            return "its certificate is not trusted, or is not for this host";
        }
        String message = failure.getMessage();
        Throwable cause = failure.getCause();
        if (message != null && !message.isBlank()) {
            return message;
        }
        return cause == null ? failure.getClass().getSimpleName() : of(cause);
    }

    private static boolean isCertificate(Throwable failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException
                    || cause.getClass().getName().startsWith("java.security.cert.")) {
                return true;
            }
        }
        return false;
    }
}
