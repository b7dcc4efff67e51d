package io.flockgate.gateway;

import io.flockgate.cli.SubCommands;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.InstalledGateway;
import io.flockgate.cli.shared.Terminal;
import io.flockgate.gateway.config.CommandLine;
import io.flockgate.gateway.config.CommandLine.Invocation;
import io.flockgate.gateway.config.GatewayConfig;
import io.flockgate.gateway.config.GatewayConfig.TlsConfig;
import io.flockgate.gateway.config.HelpText;
import io.flockgate.gateway.config.StartupWarning;
import io.flockgate.gateway.lifecycle.Abort;
import io.flockgate.gateway.limits.Gate;
import io.flockgate.gateway.log.Audit.Actor;
import io.flockgate.gateway.log.Logging;
import io.flockgate.gateway.net.ServiceManager;
import io.flockgate.gateway.rights.TokensFile;
import io.vertx.core.Promise;
import java.io.PrintStream;
import java.security.Security;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The command {@code flockgate}. */
public final class Main {
    private static final int FAILED = 1;
    private static final int MISUSED = 2;

    /** Maximum time to wait for the last lines of the log to be read. */
    private static final int FLUSH_MILLIS = 1_000;

    private Main() {}

    public static void main(String[] args) {
        // Java would keep the addresses of a name for 30 seconds, and a failed look-up for ten.
        Security.setProperty("networkaddress.cache.ttl", "0");
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
        int status = run(List.of(args), System.getenv(), System.out, System.err);
        if (status != 0) {
            System.exit(status);
        }
    }

    /** Runs the command and returns the exit status. With status 0, a server may be running. */
    static int run(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        int status = start(args, environment, out, err);
        if (status == 0 && out.checkError()) {
            err.println("flockgate: " + CommandException.OUTPUT_LOST);
            return FAILED;
        }
        return status;
    }

    private static int start(List<String> args, Map<String, String> environment, PrintStream out, PrintStream err) {
        Invocation invocation = CommandLine.read(args, environment);
        // Not a case of the switch: the first switch over types takes a third of a command's start. The
        // classes of sub-commands are loaded here, never by a server.
        if (invocation instanceof Invocation.SubCommand client) {
            return SubCommands.run(client.command(), client.words(), environment, new ThisGateway(), out, err);
        }
        return switch ((Invocation.OfServer) invocation) {
            case Invocation.Help help -> {
                out.print(help.text());
                yield 0;
            }
            case Invocation.Version ignored -> {
                out.println(Version.text());
                yield 0;
            }
            case Invocation.Invalid invalid -> {
                err.println(invalid.line());
                yield FAILED;
            }
            case Invocation.UnknownSubCommand unknown -> {
                err.println(unknown.line());
                yield MISUSED;
            }
            case Invocation.Serve serve -> {
                if (args.isEmpty() && Terminal.seesErrors()) {
                    err.println(HelpText.COMMANDS);
                }
                yield serve(serve.config(), environment, err);
            }
        };
    }

    private static int serve(GatewayConfig config, Map<String, String> environment, PrintStream err) {
        Logging.start(config.debug(), Abort::outOfMemory);
        StartupWarning.serviceLinks(environment)
                .ifPresent(
                        names -> log().atWarn().addKeyValue("variables", names).log(StartupWarning.SERVICE_LINKS));
        Abort.install();
        ServiceManager manager =
                ServiceManager.of(environment, ProcessHandle.current().pid());
        Promise<Gateway> starting = Promise.promise();
        // Before the start, because a signal may arrive as soon as the server listens.
        Thread stop = new Thread(() -> new Shutdown(config, starting.future(), manager).run(), "flockgate-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            Gateway.start(config).onComplete(starting);
            starting.future().await().watch(reason -> Abort.because(reason, null), manager::alive);
            manager.ready();
            return 0;
        } catch (StartException e) {
            forget(stop, starting, e);
            switch (e.part()) {
                case CONFIGURATION -> err.println("configuration error: " + e.getMessage());
                case STORAGE -> err.println("lock manager init failed: " + e.getMessage());
                case LISTENER ->
                    log().atError().addKeyValue("err", e.getMessage()).log("server error");
            }
            Logging.flush(FLUSH_MILLIS);
            return FAILED;
        } catch (RuntimeException | Error e) {
            // The threads of a half-started server would keep the process alive, and the hook would
            // wait for the start.
            forget(stop, starting, e);
            log().error("server error", e);
            Logging.flush(FLUSH_MILLIS);
            return FAILED;
        }
    }

    /** Removes the hook, or ends its wait for the start if a signal has arrived. */
    private static void forget(Thread hook, Promise<Gateway> starting, Throwable failure) {
        try {
            boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            boolean unused = starting.tryFail(failure);
            log().debug("a signal came while the start failed");
        }
    }

    /** Not a field: logging must be configured before the first logger is made. */
    private static Logger log() {
        return LoggerFactory.getLogger(Main.class);
    }

    /** This gateway, for the sub-commands that are installed with it. */
    public static final class ThisGateway implements InstalledGateway {
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
}
