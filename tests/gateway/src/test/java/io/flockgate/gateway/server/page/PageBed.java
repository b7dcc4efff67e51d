package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/** One browser for all classes that register this. It ends after the last test. */
final class PageBed implements BeforeAllCallback {
    static final int WIDE = 1100;
    static final int PHONE = 360;

    private static final int HEIGHT = 760;

    private @Nullable Browser browser;

    @Override
    public void beforeAll(ExtensionContext context) {
        browser = context.getRoot()
                .getStore(Namespace.create(PageBed.class))
                .computeIfAbsent(Browser.class, ignored -> start(), Browser.class);
    }

    private static Browser start() {
        try {
            return Browser.start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A new page of this width that shows a gateway. */
    BrowserPage open(TestGateway gateway, int width, String view) throws IOException {
        return open(gateway.httpPort(), width, "/" + view);
    }

    /** A new page of a server on this port. */
    BrowserPage open(int port, String path) throws IOException {
        return open(port, WIDE, path);
    }

    private BrowserPage open(int port, int width, String path) throws IOException {
        BrowserPage page = Objects.requireNonNull(browser, "not started").page(width, HEIGHT);
        page.open("http://127.0.0.1:" + port + path);
        return page;
    }

    /** A connection of a client that has given itself a name. */
    static LineClient named(TestGateway gateway, String name) throws IOException {
        LineClient client = gateway.client();
        assertThat(client.ask("hello", bytes(name), "reasons")).isEqualTo("ok reasons");
        return client;
    }

    /** The line client sends each character as one byte. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
