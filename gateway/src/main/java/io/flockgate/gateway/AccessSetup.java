package io.flockgate.gateway;

import io.flockgate.gateway.config.AuthConfig;
import io.flockgate.gateway.config.AuthConfig.TokensSource;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.AccessControl;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.TokensReload;
import io.vertx.core.Vertx;
import java.util.List;

/** Sets up the check of clients' tokens, and rereads their file when it changes. */
final class AccessSetup {
    private AccessSetup() {}

    static AccessControl of(Vertx vertx, AuthConfig config) {
        Audit audit = new Audit(System::nanoTime, (millis, task) -> vertx.setTimer(millis, ignored -> task.run()));
        return new AccessControl(authenticator(vertx, config), audit);
    }

    private static Authenticator authenticator(Vertx vertx, AuthConfig config) {
        if (!config.isRequired()) {
            return Authenticator.OPEN;
        }
        if (config.file().isEmpty()) {
            return Authenticator.of(Tokens.of(config.named(), List.of()));
        }
        TokensSource source = config.file().get();
        Authenticator authenticator = Authenticator.of(source.version().tokens());
        TokensReload reload = new TokensReload(source.path(), config.named(), authenticator, source.version());
        FileChecks.start(vertx, reload::check);
        return authenticator;
    }
}
