package io.flockgate.gateway.rights;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class AuthenticatorTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);

    private static Tokens watcher() {
        Rights read = Rights.of(List.of("read"));
        return Tokens.of(
                null, List.of(new NamedToken(new Principal("watcher", read), Sha256.of(SECRET), "watcher.test")));
    }

    private final Authenticator authenticator = Authenticator.of(watcher());

    private Principal found() {
        return Objects.requireNonNull(authenticator.find(SECRET));
    }

    @Test
    void rightsAreUnchangedUntilTheTokensChange() {
        BooleanSupplier bySecret = authenticator.unchanged(found());
        BooleanSupplier byCertificate =
                authenticator.unchanged(Objects.requireNonNull(authenticator.ofCertificate("watcher.test")));
        assertThat(bySecret.getAsBoolean()).isTrue();
        assertThat(byCertificate.getAsBoolean()).isTrue();

        authenticator.replace(watcher());

        assertThat(bySecret.getAsBoolean()).isFalse();
        assertThat(byCertificate.getAsBoolean()).isFalse();
        assertThat(authenticator.unchanged(found()).getAsBoolean()).isTrue();
    }

    @Test
    void rightsHaveChangedIfTheTokensDidAfterTheClientWasChecked() {
        Principal checked = found();
        authenticator.replace(Tokens.of(null, List.of()));
        assertThat(authenticator.unchanged(checked).getAsBoolean()).isFalse();
    }

    @Test
    void withoutTokensRightsNeverChange() {
        Principal named = Objects.requireNonNull(Authenticator.OPEN.ofCertificate("watcher.test"));
        assertThat(Authenticator.OPEN.unchanged(named).getAsBoolean()).isTrue();
        assertThat(Authenticator.OPEN.unchanged(Principal.ANYBODY).getAsBoolean())
                .isTrue();
    }
}
