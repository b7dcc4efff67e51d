package io.flockgate.client.support;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** Describes failures in words, without class names. Pure. */
public final class Reasons {
    private static final String UNEXPECTED = "an unexpected error, which is the cause";

    private Reasons() {}

    /** The reason for a failure. The message of a programming error is not quoted. */
    public static String of(Throwable failure) {
        String certificate = failure instanceof SSLHandshakeException ? certificate(failure) : null;
        if (certificate != null) {
            return certificate;
        } else if (isUnknownHost(failure) || isUnknownHost(failure.getCause())) {
            return "the name of its host is not known";
        } else if (failure instanceof ConnectException
                && (failure.getMessage() == null || says(failure, "connection refused"))) {
            return "connection refused";
        } else if (says(failure, "connect timed out")) {
            return "no connection in time";
        } else if (failure instanceof SocketTimeoutException || says(failure, "request timed out")) {
            return "no answer in time";
        } else if (failure instanceof ClosedChannelException || failure instanceof EOFException) {
            return "the connection was closed";
        } else if (failure instanceof SSLException && says(failure, "unrecognized SSL message")) {
            return "it does not speak TLS at this port";
        } else if (failure instanceof IOException && says(failure, "invalid status line")) {
            return "it does not speak HTTP at this port";
        } else if (says(failure, "received no bytes") || says(failure, "unexpected end of file")) {
            return "the connection was closed without an answer. If that persists: is this the HTTP port, and does it"
                    + " speak TLS?";
        }
        return quoted(failure);
    }

    /** The JDK's HTTP client reports an unknown host as the cause of a refused connection. */
    private static boolean isUnknownHost(@Nullable Throwable failure) {
        return failure instanceof UnknownHostException || failure instanceof UnresolvedAddressException;
    }

    private static boolean says(Throwable failure, String words) {
        String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return message.contains(words.toLowerCase(Locale.ROOT));
    }

    private static String quoted(Throwable failure) {
        String message = failure.getMessage();
        Throwable cause = failure.getCause();
        if (cause != null && isWrapper(failure, message, cause)) {
            return of(cause);
        }
        boolean known = failure instanceof IOException
                || failure instanceof SSLException
                || failure instanceof TimeoutException
                || failure.getClass().getName().startsWith("io.flockgate.client.Lease");
        return known && message != null && !message.isBlank() ? message : UNEXPECTED;
    }

    private static boolean isWrapper(Throwable failure, @Nullable String message, Throwable cause) {
        return message == null
                || message.isBlank()
                || message.equals(cause.toString())
                || failure instanceof CompletionException
                || failure instanceof ExecutionException;
    }

    /** What is wrong with a certificate; null if the failure is another. */
    private static @Nullable String certificate(Throwable failure) {
        String found = null;
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "its certificate has expired";
            } else if (cause instanceof CertificateNotYetValidException) {
                return "its certificate is not valid yet, by this host's clock";
            } else if (says(cause, "no subject alternative") || says(cause, "no name matching")) {
                return "its certificate is not for this host";
            } else if (cause instanceof CertificateException
                    || cause.getClass().getName().startsWith("java.security.cert.")) {
                found = "its certificate is not trusted";
            }
        }
        return found;
    }
}
