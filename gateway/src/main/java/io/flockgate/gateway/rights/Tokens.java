package io.flockgate.gateway.rights;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tokens of a moment. Immutable. */
public final class Tokens {
    /** No token: then anybody may do everything. */
    public static final Tokens NONE = new Tokens(List.of());

    private static final int WORDS = Sha256.BYTES / Long.BYTES;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final List<Principal> principals;

    /** The hashes, one behind the other. */
    private final long[] hashes;

    private Tokens(List<NamedToken> tokens) {
        this.principals = tokens.stream().map(NamedToken::principal).toList();
        this.hashes = new long[WORDS * tokens.size()];
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = word(tokens.get(i / WORDS).sha256(), i % WORDS);
        }
    }

    /**
     * A table of tokens.
     *
     * @param first a token that no file names; null for none
     * @throws IllegalArgumentException when two tokens have one name or one secret
     */
    public static Tokens of(@Nullable NamedToken first, List<NamedToken> others) {
        List<NamedToken> tokens = new ArrayList<>(others);
        if (first != null) {
            tokens.addFirst(first);
        }
        Map<List<Long>, String> secrets = new HashMap<>();
        for (NamedToken token : tokens) {
            List<Long> hash = Stream.iterate(0, i -> i < WORDS, i -> i + 1)
                    .map(i -> word(token.sha256(), i))
                    .toList();
            String other = secrets.putIfAbsent(hash, token.name());
            if (other != null) {
                throw new IllegalArgumentException(
                        "the tokens \"" + other + "\" and \"" + token.name() + "\" have the same secret");
            }
        }
        return new Tokens(tokens);
    }

    private static long word(byte[] hash, int index) {
        return (long) WORD.get(hash, index * Long.BYTES);
    }

    public int count() {
        return principals.size();
    }

    /** The names of the tokens, with commas between them. */
    public String names() {
        return principals.stream().map(Principal::name).collect(Collectors.joining(","));
    }

    /**
     * Finds the token with this hash; null without one. Compares with every token, all bytes of each, so that the time tells
     * neither which token it is nor how near a guess has come.
     */
    public @Nullable Principal find(byte[] sha256) {
        int found = -1;
        for (int i = 0; i < principals.size(); i++) {
            long different = 0;
            for (int j = 0; j < WORDS; j++) {
                different |= hashes[WORDS * i + j] ^ word(sha256, j);
            }
            // All ones if nothing is different, otherwise 0. No branch depends on the hashes.
            int same = (int) (((different | -different) >>> (Long.SIZE - 1)) - 1);
            found = (i & same) | (found & ~same);
        }
        return found < 0 ? null : principals.get(found);
    }
}
