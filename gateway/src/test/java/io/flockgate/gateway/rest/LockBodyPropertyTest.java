package io.flockgate.gateway.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.gateway.rest.LockBody.LockOperation;
import io.flockgate.gateway.session.LockRequest;
import io.flockgate.storage.Key;
import io.flockgate.storage.Kind;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

class LockBodyPropertyTest {
    private static final Key KEY = Key.of("k");

    /**
     * Anything that is not a request must be a fault, whose message repeats no more of the body
     * than the name of a field.
     */
    private @Nullable LockRequest read(LockOperation operation, Kind kind, byte[] body) {
        try {
            return LockBody.read(operation, kind, KEY, body, 33);
        } catch (FaultException e) {
            assertThat(e).hasMessageMatching("(?s)[ -~]{3,60}|unknown field .{0,67}");
            return null;
        }
    }

    @Property(tries = 3000)
    void anyBytesAreARequestOrAFault(
            @ForAll LockOperation operation, @ForAll Kind kind, @ForAll byte[] body, @ForAll Random random) {
        LockRequest unused = read(operation, kind, body);
        byte[] object = Arrays.copyOf("{\"token\":\"".getBytes(UTF_8), 10 + body.length);
        System.arraycopy(body, 0, object, 10, body.length);
        LockRequest unusedToo = read(operation, kind, object);
    }

    /** Pieces of JSON, which make an object now and then. */
    @Provide
    Arbitrary<String> nearlyJson() {
        Arbitrary<String> piece = Arbitraries.of(
                "{",
                "}",
                "[",
                "]",
                ":",
                ",",
                "\"",
                "\\",
                "\\u",
                "\\ud83d",
                "null",
                "true",
                "1",
                "-",
                "0",
                "1e9",
                ".5",
                "99999999999999999999",
                " ",
                "\n",
                "\u0000",
                "\ufeff",
                "\ud800",
                "\"token\":",
                "\"limit\":",
                "\"Limit\":1",
                "\"lease_ttl_s\":5",
                "\"timeout_s\":0",
                "\"acquire_timeout_s\":1",
                "\"token\":\"a\"",
                "//",
                "/*",
                "'",
                "NaN");
        return piece.list().ofMaxSize(12).map(pieces -> String.join("", pieces));
    }

    @Property(tries = 5000)
    void whatLooksLikeJsonIsARequestOrAFault(
            @ForAll LockOperation operation, @ForAll Kind kind, @ForAll("nearlyJson") String inner) {
        LockRequest unused = read(operation, kind, inner.getBytes(UTF_8));
        LockRequest unusedToo = read(operation, kind, ("{" + inner + "}").getBytes(UTF_8));
    }
}
