package io.flockgate.gateway;

import io.flockgate.gateway.config.AuthConfig;
import io.flockgate.gateway.config.AuthConfig.TokensSource;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.AccessControl;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.TokensReload;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;

/** Sets up the check of clients' tokens, and looks once a second whether their file has changed. */
final class AccessSetup {
    private static final long CHECK_MILLIS = 1_000;

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
        Authenticator authenticator = Authenticator.of(source.tokens());
        check(vertx, new TokensReload(source.path(), config.named(), authenticator, source.contentHash()));
        return authenticator;
    }

    /** The next check begins when the last one has ended: a file system may hang. */
    private static void check(Vertx vertx, TokensReload reload) {
        long unused = vertx.setTimer(CHECK_MILLIS, ignored -> {
            Future<?> checked = vertx.executeBlocking(
                    () -> {
                        reload.check();
                        return null;
                    },
                    false);
            Future<?> unusedNext = checked.onComplete(done -> check(vertx, reload));
        });
    }
}
