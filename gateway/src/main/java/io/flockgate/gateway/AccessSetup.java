package io.flockgate.gateway;

import io.flockgate.gateway.config.GatewayConfig.AuthConfig;
import io.flockgate.gateway.config.GatewayConfig.AuthConfig.TokensSource;
import io.flockgate.gateway.eventloop.FileChecks;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.Authenticator;
import io.flockgate.gateway.rights.Tokens;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/** Sets up the check of clients' tokens, and rereads their file when it changes. */
final class AccessSetup {
    private AccessSetup() {}

    /** Null where no token is configured: then every client may do everything. */
    static @Nullable Authenticator of(Vertx vertx, AuthConfig config, Audit audit) {
        NamedToken first = config.named();
        TokensSource source = config.file().orElse(null);
        if (source != null) {
            Authenticator authenticator = new Authenticator(source.tokens(), audit);
            FileChecks.start(vertx, authenticator.reload(source.path(), first));
            return authenticator;
        }
        return first == null ? null : new Authenticator(Tokens.of(first), audit);
    }
}
