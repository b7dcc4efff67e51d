package io.flockgate.gateway.rest;

import io.flockgate.gateway.config.AuthToken;
import io.flockgate.gateway.http.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks the token that a request carries. */
public final class Authorization {
    /** The delay of the reply to a wrong token. */
    static final long FAILURE_DELAY_MILLIS = 100;

    private static final String HEADER = "Authorization";
    private static final String BEARER = "bearer ";
    private static final String BASIC = "basic ";

    private Authorization() {}

    static boolean isBearer(RequestHead head, Optional<AuthToken> token) {
        return token.isEmpty() || isBearer(head.header(HEADER), token.get());
    }

    /** Also accepts Basic with any user and the token as password: some clients can send nothing else. */
    public static boolean isBearerOrBasic(RequestHead head, Optional<AuthToken> token) {
        String value = head.header(HEADER);
        return token.isEmpty() || isBearer(value, token.get()) || isBasic(value, token.get());
    }

    /** Whether the request uses Basic, as {@code curl -u} does. */
    static boolean isBasic(RequestHead head) {
        return after(BASIC, head.header(HEADER)) != null;
    }

    private static boolean isBearer(@Nullable String value, AuthToken token) {
        String credential = after(BEARER, value);
        return credential != null && token.matches(credential.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static boolean isBasic(@Nullable String value, AuthToken token) {
        String credential = after(BASIC, value);
        if (credential == null) {
            return false;
        }
        try {
            String login = new String(Base64.getDecoder().decode(credential), StandardCharsets.ISO_8859_1);
            int colon = login.indexOf(':');
            return colon >= 0 && token.matches(login.substring(colon + 1).getBytes(StandardCharsets.ISO_8859_1));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The text behind the scheme; null for another scheme or none. */
    private static @Nullable String after(String scheme, @Nullable String value) {
        if (value == null || !value.regionMatches(true, 0, scheme, 0, scheme.length())) {
            return null;
        }
        return value.substring(scheme.length()).trim();
    }
}
