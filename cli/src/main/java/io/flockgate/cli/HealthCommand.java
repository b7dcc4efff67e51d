package io.flockgate.cli;

import io.flockgate.cli.shared.CommandCall;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.InstalledGateway;
import io.flockgate.cli.shared.InstalledGateway.Listeners;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.client.support.HostAddresses;
import io.flockgate.text.Quoting;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * The sub-command {@code flockgate health}: whether a gateway with these flags and variables
 * answers on this host.
 */
final class HealthCommand {
    private static final String HELP = """
            Usage: flockgate health [--ready] [--pid <pid>] [flags of the gateway]

            Checks whether the gateway on this host works. Accepts the gateway's own flags and variables, and
            so knows its port, address and TLS settings. Prints one line. Intended for health checks of
            containers: it needs no shell, and sends no secret. FLOCKGATE_SERVER has no effect.

              --ready         Check whether the gateway accepts clients, instead of whether it works.
              --pid <pid>     Read the flags and variables of the gateway from this process, which is 1 in
                              a container. Further flags are added.
              -h, --help      Print this text. flockgate --help lists the exit statuses.

            It asks /health or /ready of the REST API, so the gateway needs --http-port. If clients need a
            certificate, it completes the TLS handshake only.

            Examples:
              flockgate health --http-port 6389
              flockgate health --ready --pid 1
            """;

    private static final String READY = "--ready";
    private static final String PID = "--pid";

    /** The options of this command, and the flags and variables of the gateway. */
    private record Request(boolean help, boolean ready, List<String> flags, Map<String, String> environment) {}

    private HealthCommand() {}

    static int run(CommandCall call, InstalledGateway gateway) {
        try {
            Request request = read(call.args(), call.environment());
            if (request.help()) {
                call.out().print(HELP);
                return 0;
            }
            HealthProbe probe = new HealthProbe(listeners(gateway, request), request.ready());
            call.out().println("ok: " + Quoting.escaped(probe.ask()));
            return 0;
        } catch (CommandException e) {
            call.err().println("flockgate health: " + Quoting.escaped(String.valueOf(e.getMessage())));
            return 1;
        }
    }

    private static Listeners listeners(InstalledGateway gateway, Request request) {
        try {
            return gateway.listeners(request.flags(), request.environment());
        } catch (IllegalArgumentException e) {
            throw CommandException.failed(String.valueOf(e.getMessage()));
        }
    }

    private static Request read(List<String> args, Map<String, String> environment) {
        boolean help = false;
        boolean ready = false;
        List<String> flags = new ArrayList<>();
        Map<String, String> variables = new HashMap<>(environment);
        for (int i = 0; i < args.size(); i++) {
            String word = args.get(i);
            if (List.of("-h", "--h", "-help", "--help").contains(word)) {
                help = true;
            } else if (word.equals(READY)) {
                ready = true;
            } else if (word.equals(PID) || word.startsWith(PID + "=")) {
                boolean inNextWord = word.equals(PID);
                i += inNextWord ? 1 : 0;
                String pid = inNextWord ? (i < args.size() ? args.get(i) : "") : word.substring(PID.length() + 1);
                RunningGateway gateway = RunningGateway.of(pid);
                flags.addAll(0, gateway.flags());
                variables.clear();
                variables.putAll(gateway.environment());
            } else {
                flags.add(word);
            }
        }
        return new Request(help, ready, flags, variables);
    }

    /**
     * A gateway that runs as a process on this host, as Linux reports it.
     *
     * @param flags the words of its command line
     * @param environment the variables that it was started with
     */
    private record RunningGateway(List<String> flags, Map<String, String> environment) {
        private static final String JAR = "flockgate.jar";
        private static final String MAIN = "io.flockgate.gateway.Main";

        RunningGateway {
            flags = List.copyOf(flags);
            environment = Map.copyOf(environment);
        }

        /**
         * @throws CommandException if there is no such process, it is not a gateway, or it belongs
         *     to another user
         */
        static RunningGateway of(String pid) {
            if (!pid.matches("[0-9]{1,10}")) {
                throw CommandException.failed(
                        "--pid must be the number of a process (got " + Quoting.quoted(pid) + ")");
            }
            List<String> words = strings(pid, "cmdline");
            int program = program(words);
            if (program < 0) {
                throw CommandException.failed("process " + pid + " is no gateway");
            }
            Map<String, String> variables = new HashMap<>();
            for (String line : strings(pid, "environ")) {
                int equals = line.indexOf('=');
                if (equals > 0) {
                    variables.put(line.substring(0, equals), line.substring(equals + 1));
                }
            }
            return new RunningGateway(words.subList(program + 1, words.size()), variables);
        }

        /** The index where Java's own options end: the class, or the jar after {@code -jar}. */
        private static int program(List<String> words) {
            int main = words.indexOf(MAIN);
            int jar = words.indexOf("-jar") + 1;
            return main >= 0
                            || jar == 0
                            || jar == words.size()
                            || !words.get(jar).endsWith(JAR)
                    ? main
                    : jar;
        }

        private static List<String> strings(String pid, String name) {
            Path file = Path.of("/proc", pid, name);
            try {
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                // Each string ends with a zero byte, and an empty one counts as a word.
                List<String> parts = List.of(text.split("\0", -1));
                return parts.subList(0, parts.size() - 1);
            } catch (IOException e) {
                throw CommandException.failed("process " + pid + " cannot be read: " + Reason.of(e));
            }
        }
    }

    /**
     * One request to a gateway on this host. It accepts any certificate: it sends no secret and
     * trusts nothing in the answer but "I work", and must not report a gateway as unhealthy because
     * its certificate has just been replaced, or names only the hosts by which other machines know
     * it.
     */
    private static final class HealthProbe implements X509TrustManager {
        /**
         * For all addresses of the host together: Docker's usual limit is 3 s, part of which Java
         * needs to start.
         */
        private static final Duration PATIENCE = Duration.ofSeconds(2);

        private static final int OK = 200;

        private final URI address;
        private final boolean handshakeIsEnough;
        private volatile boolean certificateSeen;

        /**
         * @throws CommandException if the gateway cannot be probed
         */
        HealthProbe(Listeners gateway, boolean ready) {
            if (gateway.httpPort() == 0) {
                throw CommandException.failed("the gateway has no REST API to ask: it needs --http-port");
            }
            String scheme = gateway.tls() ? "https://" : "http://";
            String path = ready ? "/ready" : "/health";
            this.address = URI.create(scheme + local(gateway.httpHost()) + ":" + gateway.httpPort() + path);
            this.handshakeIsEnough = gateway.forCertificates() && !ready;
        }

        /** The host by which a client on this host reaches a port that listens on this address. */
        private static String local(String host) {
            return switch (host) {
                case "", "0.0.0.0" -> "127.0.0.1";
                case "::" -> "[::1]";
                default -> host.contains(":") ? "[" + host + "]" : host;
            };
        }

        /**
         * Sends the request, and returns the result for the operator.
         *
         * @throws CommandException if the answer is missing or bad
         */
        String ask() {
            List<URI> found = HostAddresses.of(address);
            List<URI> places = found.size() > 1 ? found : List.of(address);
            String failure = "";
            for (URI place : places) {
                try {
                    return answer(place, PATIENCE.dividedBy(places.size()));
                } catch (IOException e) {
                    // The gateway presented its certificate, and then rejected us for having none.
                    if (handshakeIsEnough && certificateSeen) {
                        return place + " speaks TLS and asks for a certificate";
                    }
                    failure = place + fault(e);
                }
            }
            throw CommandException.failed(failure);
        }

        private static String fault(IOException e) {
            if (e instanceof SocketTimeoutException) {
                return " does not answer";
            }
            return (e instanceof SSLException ? " does not speak TLS as it should: " : " does not answer: ")
                    + Reason.of(e);
        }

        private String answer(URI at, Duration patience) throws IOException {
            HttpURLConnection request = RestClient.connection(at, patience, patience);
            if (request instanceof HttpsURLConnection secure) {
                secure.setSSLSocketFactory(trustingAny().getSocketFactory());
                secure.setHostnameVerifier((host, session) -> true);
            }
            ServerReply reply = RestClient.reply(request);
            String answered = at + " answers " + reply.status() + " " + request.getResponseMessage();
            if (reply.status() == OK) {
                return answered;
            }
            String reason = reply.body().lines().findFirst().orElse("");
            throw CommandException.failed(answered + (reason.isEmpty() ? "" : ": " + reason));
        }

        private SSLContext trustingAny() throws IOException {
            try {
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(null, new TrustManager[] {this}, null);
                return context;
            } catch (GeneralSecurityException e) {
                throw new IOException(e);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            certificateSeen = true;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            throw new UnsupportedOperationException("no server");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
