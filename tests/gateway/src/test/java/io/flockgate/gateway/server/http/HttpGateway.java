package io.flockgate.gateway.server.http;

import io.flockgate.gateway.TestGateway;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A gateway with HTTP and default options that all tests of a class share. Register it in a field
 * of a class with one instance.
 */
final class HttpGateway implements BeforeAllCallback, AfterAllCallback {
    private @Nullable TestGateway gateway;

    @Override
    public void beforeAll(ExtensionContext context) {
        gateway = TestGateway.startWithHttp();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        running().close();
    }

    private TestGateway running() {
        return Objects.requireNonNull(gateway, "not started");
    }

    /** The port of the line protocol. */
    int port() {
        return running().port();
    }

    int httpPort() {
        return running().httpPort();
    }

    RawHttp connect() throws IOException {
        return RawHttp.of(httpPort());
    }
}
