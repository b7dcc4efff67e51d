package io.flockgate.gateway.rights;

import io.flockgate.gateway.limits.Gate;
import io.flockgate.text.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tokens at one point in time. Immutable. */
public final class Tokens {
    private final List<NamedToken> tokens;

    /** The SHA-256 of the file's content; empty without a file. */
    private final String fileHash;

    private Tokens(List<NamedToken> tokens, String fileHash) {
        this.tokens = List.copyOf(tokens);
        this.fileHash = fileHash;
        Map<Object, String> names = new HashMap<>();
        for (NamedToken token : tokens) {
            byte[] sha256 = token.sha256();
            if (sha256 != null) {
                refuseTwice(names, ByteBuffer.wrap(sha256), token, "secret");
            }
            if (token.certificate() != null) {
                refuseTwice(names, token.certificate(), token, "certificate");
            }
        }
    }

    private static void refuseTwice(Map<Object, String> names, Object proof, NamedToken token, String kind) {
        String other = names.putIfAbsent(proof, token.name());
        if (other != null) {
            throw new IllegalArgumentException(
                    "the tokens \"" + other + "\" and \"" + token.name() + "\" have the same " + kind);
        }
    }

    /**
     * The tokens of a file.
     *
     * @param first a token that is not in the file; null for none
     * @throws IllegalArgumentException with a message for an operator
     */
    public static Tokens ofFile(@Nullable NamedToken first, byte[] content) {
        List<NamedToken> tokens = new ArrayList<>(TokensFile.read(content));
        if (first != null) {
            tokens.addFirst(first);
        }
        return new Tokens(tokens, Sha256.hex(content));
    }

    /**
     * These tokens.
     *
     * @throws IllegalArgumentException if two tokens have the same secret or the same certificate
     */
    public static Tokens of(NamedToken... tokens) {
        return new Tokens(List.of(tokens), "");
    }

    int count() {
        return tokens.size();
    }

    /** The names of the tokens, separated by commas. */
    public String names() {
        return tokens.stream().map(NamedToken::name).collect(Collectors.joining(","));
    }

    boolean areOfTheSameFile(Tokens others) {
        return fileHash.equals(others.fileHash);
    }

    /** Whether this token, and not just an equal one, is one of these. */
    @SuppressWarnings("ReferenceEquality") // each version of the tokens has its own
    boolean has(NamedToken token) {
        return tokens.stream().anyMatch(each -> each == token);
    }

    /** The token of a verified certificate with this name; null if there is none. */
    public @Nullable NamedToken ofCertificate(String name) {
        for (NamedToken token : tokens) {
            if (name.equals(token.certificate())) {
                return token;
            }
        }
        return null;
    }

    /** The token with this secret; null if there is none. */
    public @Nullable NamedToken find(byte[] secret) {
        return ofHash(Sha256.of(secret));
    }

    /**
     * The token whose secret has this SHA-256; null if there is none. Compares all bytes of every
     * token, so that the time reveals neither which token it is nor how close a guess is.
     */
    public @Nullable NamedToken ofHash(byte[] sha256) {
        NamedToken found = null;
        for (NamedToken token : tokens) {
            found = MessageDigest.isEqual(token.sha256(), sha256) ? token : found;
        }
        return found;
    }

    /**
     * A token that clients may present: a secret, of which only the hash is known, or a
     * certificate, or either.
     *
     * @param sha256 the SHA-256 of the secret; null without a secret
     * @param certificate the name in the certificate; null without one
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record NamedToken(
            String name,
            Rights rights,
            byte @Nullable [] sha256,
            @Nullable String certificate) {
        /** The sender of a request for a path that needs no token. */
        public static final NamedToken NONE = new NamedToken("", Rights.NONE, null, null);

        /** The token that {@code --auth-token} gives, which has all rights. */
        public static NamedToken authToken(String secret) {
            byte[] sha256 = Sha256.of(secret.getBytes(StandardCharsets.UTF_8));
            return new NamedToken(Gate.SHARED_TOKEN, Rights.ALL, sha256, null);
        }

        /** The rights that hide keys from its client; null if it may see all. */
        public @Nullable Rights hidingKeys() {
            return rights.mayReadEverything() ? null : rights;
        }

        @Override
        public String toString() {
            return "NamedToken[" + name + "]";
        }
    }
}
