package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.RequestHead;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Finds the token that a request carries, or that of the client's certificate. */
public final class Authorization {
    /** The delay of the reply to a wrong token. */
    static final long FAILURE_DELAY_MILLIS = 100;

    private static final CharSequence HEADER = HttpHeaders.AUTHORIZATION;
    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";

    private Authorization() {}

    /**
     * The sender of the request; null without a known token. A token takes precedence over a
     * certificate, even if the token is wrong.
     *
     * @param certificate the name in the client's certificate; empty without one
     */
    static @Nullable NamedToken bearer(RequestHead head, String certificate, Tokens tokens) {
        if (head.header(HEADER) == null) {
            return certificate.isEmpty() ? null : tokens.ofCertificate(certificate);
        }
        String credential = after(BEARER, head.header(HEADER));
        return credential == null ? null : find(credential, tokens);
    }

    /**
     * Also accepts Basic with any user and the token as password, because some clients can send
     * nothing else.
     */
    public static @Nullable NamedToken bearerOrBasic(RequestHead head, String certificate, Tokens tokens) {
        NamedToken bearer = bearer(head, certificate, tokens);
        return bearer == null ? basic(head.header(HEADER), tokens) : bearer;
    }

    /** Whether the request uses Basic, as {@code curl -u} does. */
    static boolean isBasic(RequestHead head) {
        return after(BASIC, head.header(HEADER)) != null;
    }

    private static @Nullable NamedToken basic(@Nullable String value, Tokens tokens) {
        String credential = after(BASIC, value);
        if (credential == null) {
            return null;
        }
        try {
            String login = new String(Base64.getDecoder().decode(credential), StandardCharsets.ISO_8859_1);
            int colon = login.indexOf(':');
            return colon < 0 ? null : find(login.substring(colon + 1), tokens);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable NamedToken find(String credential, Tokens tokens) {
        return tokens.find(credential.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** The text after the scheme; null for another scheme or none. */
    private static @Nullable String after(String scheme, @Nullable String value) {
        if (value == null || !value.regionMatches(true, 0, scheme, 0, scheme.length())) {
            return null;
        }
        return value.substring(scheme.length()).trim();
    }
}
