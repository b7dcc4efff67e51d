package io.flockgate.gateway.config;

import java.nio.file.Path;

/**
 * TLS of all listeners. The files have not been opened.
 *
 * @param certificate the file of the certificate chain, PEM
 * @param key the file of the private key, PEM
 */
public record TlsConfig(Path certificate, Path key) {}
