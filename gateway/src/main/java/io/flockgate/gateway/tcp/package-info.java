/**
 * The line protocol over TCP: bytes to frames, frames to requests, requests to a session, outcomes
 * to replies. Only {@link io.flockgate.gateway.tcp.TcpServer} and its options are for other
 * packages.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.tcp;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
