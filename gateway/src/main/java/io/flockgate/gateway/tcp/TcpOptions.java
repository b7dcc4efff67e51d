package io.flockgate.gateway.tcp;

import io.vertx.core.net.PemKeyCertOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * What the line protocol's server is told.
 *
 * @param port 0 for one that is free
 * @param eventLoops how many threads serve connections
 * @param readTimeout the longest time for the rest of a line of which a byte has come; also for the TLS handshake and for
 *     the first frame where a token is wanted
 * @param writeTimeout the longest time for a client to take a reply; zero for ever
 * @param defaultLeaseSeconds the lease of requests that name none
 * @param autoRelease whether a connection's end gives back what it holds
 * @param authToken the token that the first frame must carry
 * @param keyCert certificate and key for TLS
 */
public record TcpOptions(
        String host,
        int port,
        int eventLoops,
        Duration readTimeout,
        Duration writeTimeout,
        long defaultLeaseSeconds,
        boolean autoRelease,
        Optional<AuthToken> authToken,
        Optional<PemKeyCertOptions> keyCert) {}
