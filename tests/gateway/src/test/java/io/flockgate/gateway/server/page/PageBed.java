package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.gateway.TestGateway;
import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * A gateway, its clients and its pages, which are closed after each test. The pages must not have
 * complained then. One browser serves all classes that register this, and ends after the last test.
 */
final class PageBed implements BeforeEachCallback, AfterEachCallback {
    static final int WIDE = 1100;
    static final int PHONE = 360;

    private static final int HEIGHT = 760;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable Browser browser;
    private @Nullable TestGateway gateway;

    @Override
    public void beforeEach(ExtensionContext context) {
        browser = context.getRoot()
                .getStore(Namespace.create(PageBed.class))
                .computeIfAbsent(Browser.class, ignored -> browser(), Browser.class);
    }

    private static Browser browser() {
        try {
            return Browser.start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (context.getExecutionException().isEmpty()) {
            for (AutoCloseable each : opened) {
                if (each instanceof BrowserPage page) {
                    page.expectNoComplaint();
                }
            }
        }
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Starts the gateway. */
    void start(String... flags) {
        gateway = opened(TestGateway.startWithHttp(flags));
    }

    TestGateway gateway() {
        return Objects.requireNonNull(gateway, "not started");
    }

    LineClient client() throws IOException {
        return opened(gateway().client());
    }

    /** A connection of a client that has given itself a name. */
    LineClient named(String name) throws IOException {
        LineClient client = client();
        assertThat(client.ask("hello", bytes(name), "reasons")).isEqualTo("ok reasons");
        return client;
    }

    /** A new page of this width that shows a view of the gateway. */
    BrowserPage open(int width, String view) throws IOException {
        BrowserPage page = opened(Objects.requireNonNull(browser, "not started").page(width, HEIGHT));
        page.open("http://127.0.0.1:" + gateway().httpPort() + "/#/" + view);
        return page;
    }

    /** The line client sends each character as one byte. */
    static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
