package io.flockgate.gateway.rights;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tokens at one point in time. Immutable. */
public final class Tokens {
    /** No tokens, where every client may do everything. */
    public static final Tokens NONE = new Tokens(List.of());

    private static final int WORDS = Sha256.BYTES / Long.BYTES;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final List<String> names;

    /** The principals of the tokens with a secret. */
    private final List<Principal> principals = new ArrayList<>();

    /** The hashes of the secrets, one after another. */
    private final long[] hashes;

    /** The principals by the name in the certificate. */
    private final Map<String, Principal> certified = new HashMap<>();

    private Tokens(List<NamedToken> tokens) {
        this.names = tokens.stream().map(NamedToken::name).toList();
        long[] words = new long[WORDS * tokens.size()];
        for (NamedToken token : tokens) {
            byte[] sha256 = token.sha256();
            if (sha256 != null) {
                for (int i = 0; i < WORDS; i++) {
                    words[WORDS * principals.size() + i] = word(sha256, i);
                }
                principals.add(token.principal());
            }
            String certificate = token.certificate();
            if (certificate != null) {
                certified.put(certificate, token.principal());
            }
        }
        this.hashes = Arrays.copyOf(words, WORDS * principals.size());
    }

    /**
     * Creates a table of tokens.
     *
     * @param first a token that is not in a file; null for none
     * @throws IllegalArgumentException if two tokens have the same secret or the same certificate
     */
    public static Tokens of(@Nullable NamedToken first, List<NamedToken> others) {
        List<NamedToken> tokens = new ArrayList<>(others);
        if (first != null) {
            tokens.addFirst(first);
        }
        Map<Object, String> secrets = new HashMap<>();
        Map<Object, String> certificates = new HashMap<>();
        for (NamedToken token : tokens) {
            byte[] sha256 = token.sha256();
            if (sha256 != null) {
                refuseTwice(secrets, ByteBuffer.wrap(sha256), token, "secret");
            }
            String certificate = token.certificate();
            if (certificate != null) {
                refuseTwice(certificates, certificate, token, "certificate");
            }
        }
        return new Tokens(tokens);
    }

    private static void refuseTwice(Map<Object, String> names, Object proof, NamedToken token, String kind) {
        String other = names.putIfAbsent(proof, token.name());
        if (other != null) {
            throw new IllegalArgumentException(
                    "the tokens \"" + other + "\" and \"" + token.name() + "\" have the same " + kind);
        }
    }

    private static long word(byte[] hash, int index) {
        return (long) WORD.get(hash, index * Long.BYTES);
    }

    public int count() {
        return names.size();
    }

    /** The names of the tokens, separated by commas. */
    public String names() {
        return String.join(",", names);
    }

    /** The token of a certificate with this name; null if there is none. */
    @Nullable
    Principal ofCertificate(String name) {
        return certified.get(name);
    }

    /** Whether this principal, and not just an equal one, is that of one of these tokens. */
    @SuppressWarnings("ReferenceEquality") // each version of the tokens has its own principals
    boolean has(Principal principal) {
        return Stream.concat(principals.stream(), certified.values().stream()).anyMatch(each -> each == principal);
    }

    /**
     * Finds the token with this hash; null if there is none. Compares all bytes of every token, so
     * that the time reveals neither which token it is nor how close a guess is.
     */
    public @Nullable Principal find(byte[] sha256) {
        int found = -1;
        for (int i = 0; i < principals.size(); i++) {
            long different = 0;
            for (int j = 0; j < WORDS; j++) {
                different |= hashes[WORDS * i + j] ^ word(sha256, j);
            }
            // All ones if nothing differs, otherwise 0. No branch depends on the hashes.
            int same = (int) (((different | -different) >>> (Long.SIZE - 1)) - 1);
            found = (i & same) | (found & ~same);
        }
        return found < 0 ? null : principals.get(found);
    }
}
