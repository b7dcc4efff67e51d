package io.flockgate.gateway;

import io.flockgate.cli.shared.InstalledGateway;
import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.rights.TokensFile;
import java.util.List;
import java.util.Map;

/** This gateway, for the sub-commands that are installed with it. */
final class ThisGateway implements InstalledGateway {
    @Override
    public Listeners listeners(List<String> flags, Map<String, String> environment) {
        return switch (CommandLine.read(flags, environment)) {
            case Invocation.Serve serve -> listeners(serve.config());
            case Invocation.Invalid invalid -> throw new IllegalArgumentException(invalid.line());
            case Invocation.Help ignored -> throw new IllegalArgumentException("--help must stand alone");
            case Invocation.Version ignored -> throw new IllegalArgumentException("--version must stand alone");
            case Invocation.UnknownSubCommand unknown -> throw new IllegalArgumentException(unknown.message());
            case Invocation.SubCommand ignored -> throw new IllegalArgumentException("that is no gateway");
        };
    }

    private static Listeners listeners(GatewayConfig config) {
        return new Listeners(
                config.tcp().host(),
                config.tcp().port(),
                config.http().host(),
                config.http().port(),
                config.tls().isPresent(),
                config.tls().filter(TlsConfig::isCertificateRequired).isPresent());
    }

    @Override
    public boolean isTokenName(String name) {
        return Actor.isName(name) && !name.equals(Gate.SHARED_TOKEN);
    }

    @Override
    public String tokenEntry(String name, String secret, List<String> allow) {
        return TokensFile.entry(name, secret, allow);
    }
}
