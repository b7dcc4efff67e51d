package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * TLS of all listeners. The files have not been opened.
 *
 * @param certificate the file of the certificate chain, PEM
 * @param key the file of the private key, PEM
 * @param clients empty if no certificate is requested from clients
 */
public record TlsConfig(Path certificate, Path key, Optional<ClientCa> clients) {
    /**
     * The authorities that sign the certificates of clients.
     *
     * @param file their certificates, PEM
     * @param required whether a client without a certificate is refused
     */
    public record ClientCa(Path file, boolean required) {}

    /** Whether every client has a certificate of the authorities. */
    public boolean isCertificateRequired() {
        return clients.filter(ClientCa::required).isPresent();
    }
}
