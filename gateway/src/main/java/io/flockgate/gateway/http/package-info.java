/**
 * The REST API over HTTP/1.1: messages to requests, requests to a session, outcomes to replies. Only
 * {@link io.flockgate.gateway.http.HttpServer} and its options are for others.
 */
@NullMarked
@CheckReturnValue
package io.flockgate.gateway.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
