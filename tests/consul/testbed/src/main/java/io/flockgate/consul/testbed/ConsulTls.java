package io.flockgate.consul.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Certificates for agents and their clients, in PEM files made by consul's own tool. The server's
 * certificate is for {@code localhost}, {@code 127.0.0.1} and {@code server.dc1.consul}.
 */
public record ConsulTls(
        Path authority, Path serverCertificate, Path serverKey, Path clientCertificate, Path clientKey) {
    /** Creates certificates of a new authority in an empty folder of the caller. */
    public static ConsulTls create(Path folder) {
        tls(folder, "ca", "create");
        tls(folder, "cert", "create", "-server", "-dc", "dc1");
        tls(folder, "cert", "create", "-client", "-dc", "dc1");
        return new ConsulTls(
                file(folder, "consul-agent-ca.pem"),
                file(folder, "dc1-server-consul-0.pem"),
                file(folder, "dc1-server-consul-0-key.pem"),
                file(folder, "dc1-client-consul-0.pem"),
                file(folder, "dc1-client-consul-0-key.pem"));
    }

    /**
     * Options of an agent with an HTTPS port that has the server's certificate.
     *
     * @param clientsToo true to require a certificate of the same authority from clients
     */
    public AgentOptions options(boolean clientsToo) {
        return AgentOptions.plain().withHttps().withConfig("""
                {"ca_file": "%s", "cert_file": "%s", "key_file": "%s", "verify_incoming_https": %s}
                """.formatted(
                        authority, serverCertificate, serverKey, clientsToo));
    }

    private static void tls(Path folder, String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(ConsulBinary.path().toString(), "tls"), Arrays.stream(arguments))
                        .toList());
        CliResult result = Commands.run(builder.directory(folder.toFile()));
        if (result.exitCode() != 0) {
            throw new IllegalStateException("consul tls: " + result.output());
        }
    }

    private static Path file(Path folder, String name) {
        Path path = folder.resolve(name);
        if (!Files.isReadable(path)) {
            throw new UncheckedIOException(new IOException("consul did not write " + path));
        }
        return path.toAbsolutePath();
    }
}
