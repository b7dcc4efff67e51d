package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class AuthenticatorTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);

    private static Tokens watcher() {
        return Tokens.of(new NamedToken("watcher", Rights.of(List.of("read")), Sha256.of(SECRET), "watcher.test"));
    }

    private final Authenticator authenticator = new Authenticator(watcher(), new Audit());

    private NamedToken found() {
        return Objects.requireNonNull(authenticator.tokens().find(SECRET));
    }

    @Test
    void rightsAreUnchangedUntilTheTokensChange() {
        BooleanSupplier unchanged = authenticator.unchanged(found());
        assertThat(authenticator.tokens().ofCertificate("watcher.test")).isSameAs(found());
        assertThat(unchanged.getAsBoolean()).isTrue();

        authenticator.replace(watcher());

        assertThat(unchanged.getAsBoolean()).isFalse();
        assertThat(authenticator.unchanged(found()).getAsBoolean()).isTrue();
    }

    @Test
    void rightsHaveChangedIfTheTokensDidAfterTheClientWasChecked() {
        NamedToken checked = found();
        authenticator.replace(Tokens.of());
        assertThat(authenticator.unchanged(checked).getAsBoolean()).isFalse();
    }
}
