package io.flockgate.gateway.server.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** One page of the browser. For one thread. */
final class BrowserPage implements AutoCloseable {
    static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Map<String, Integer> KEYS =
            Map.of("Backspace", 8, "Tab", 9, "Enter", 13, "Escape", 27, " ", 32);

    private final Browser browser;
    private final String session;
    private final String target;
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    BrowserPage(Browser browser, String session, String target) {
        this.browser = browser;
        this.session = session;
        this.target = target;
    }

    private JsonNode call(String method, String parameters) throws IOException {
        return browser.call(session, method, parameters);
    }

    void begin(int width, int height) throws IOException {
        for (String domain : List.of("Page", "Runtime", "Log")) {
            call(domain + ".enable", "{}");
        }
        call("Emulation.setFocusEmulationEnabled", "{\"enabled\":true}");
        size(width, height);
    }

    /**
     * Records what a page without faults never reports: script errors, and violations of the
     * content security policy.
     */
    void received(JsonNode message) {
        JsonNode parameters = message.get("params");
        switch (message.get("method").asText()) {
            case "Runtime.exceptionThrown", "Page.javascriptDialogOpening" -> complaints.add(parameters.toString());
            case "Runtime.consoleAPICalled" -> {
                if (List.of("error", "warning").contains(parameters.get("type").asText())) {
                    complaints.add(parameters.toString());
                }
            }
            case "Log.entryAdded" -> {
                JsonNode entry = parameters.get("entry");
                // Refused requests are not faults of the page.
                if (entry.get("level").asText().equals("error")
                        && !entry.get("source").asText().equals("network")) {
                    complaints.add(entry.toString());
                }
            }
            default -> {}
        }
    }

    void expectNoComplaint() {
        assertThat(complaints).isEmpty();
    }

    void open(String url) throws IOException {
        call("Page.navigate", "{\"url\":" + quoted(url) + "}");
        await("document.readyState === 'complete' && location.href !== 'about:blank'");
    }

    /** Loads the page again, with this script before its own. */
    void reloadAfter(String script) throws IOException {
        call("Page.addScriptToEvaluateOnNewDocument", "{\"source\":" + quoted(script) + "}");
        reload();
    }

    void reload() throws IOException {
        eval("window.old = true");
        call("Page.reload", "{}");
        await("window.old === undefined && document.readyState === 'complete'");
    }

    void size(int width, int height) throws IOException {
        call(
                "Emulation.setDeviceMetricsOverride",
                "{\"width\":" + width + ",\"height\":" + height + ",\"deviceScaleFactor\":1,\"mobile\":" + (width < 600)
                        + "}");
    }

    void timeZone(String name) throws IOException {
        call("Emulation.setTimezoneOverride", "{\"timezoneId\":" + quoted(name) + "}");
    }

    void colours(String scheme) throws IOException {
        call(
                "Emulation.setEmulatedMedia",
                "{\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":" + quoted(scheme) + "}]}");
    }

    /** The value of an expression. */
    JsonNode eval(String expression) throws IOException {
        JsonNode result = call(
                "Runtime.evaluate",
                "{\"awaitPromise\":true,\"returnByValue\":true,\"expression\":" + quoted(expression) + "}");
        if (result.has("exceptionDetails")) {
            throw new AssertionError(expression + ": " + result.get("exceptionDetails"));
        }
        return result.get("result").path("value");
    }

    String text(String selector) throws IOException {
        return eval("document.querySelector(" + quoted(selector) + ")?.innerText ?? '(none)'")
                .asText();
    }

    /**
     * Waits until an expression is true. A page that is being replaced does not answer, so each
     * check is a separate call.
     */
    void await(String condition) throws IOException {
        long start = System.nanoTime();
        while (!isTrue(condition)) {
            if (System.nanoTime() - start > 30_000_000_000L) {
                throw new AssertionError("never true: " + condition + "\n" + text("body") + "\n" + complaints);
            }
        }
    }

    /** Checks the condition in the page, for up to half a second. */
    private boolean isTrue(String condition) throws IOException {
        try {
            return eval("new Promise(done => { const end = performance.now() + 500; const look = () => (" + condition
                            + ") ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 20); look(); })")
                    .asBoolean();
        } catch (AssertionError navigating) {
            if (String.valueOf(navigating.getMessage()).contains("context")) {
                return false;
            }
            throw navigating;
        }
    }

    void awaitText(String selector, String part) throws IOException {
        await("(document.querySelector(" + quoted(selector) + ")?.innerText ?? '').includes(" + quoted(part) + ")");
    }

    void click(String selector) throws IOException {
        await("document.querySelector(" + quoted(selector) + ") !== null");
        eval("document.querySelector(" + quoted(selector) + ").click()");
    }

    /** Shows another view. */
    void go(String view) throws IOException {
        eval("location.hash = " + quoted("#/" + view));
    }

    int number(String expression) throws IOException {
        return eval(expression).asInt();
    }

    /** The number of elements. */
    int count(String selector) throws IOException {
        return number("document.querySelectorAll(" + quoted(selector) + ").length");
    }

    void awaitCount(String selector, int count) throws IOException {
        await("document.querySelectorAll(" + quoted(selector) + ").length === " + count);
    }

    /** A script after which requests have other answers, until {@link #mend}. */
    static String fetching(String function) {
        return "window.plainFetch = window.fetch; window.fetch = " + function + ";";
    }

    /**
     * A script after which answers in JSON, as {@code body}, are changed if a condition on the
     * request holds.
     */
    static String changing(String condition, String change) {
        return fetching("async (path, options) => { const answer = await plainFetch(path, options);"
                + " if (!(" + condition + ")) return answer; const body = await answer.json(); " + change
                + "; return new Response(JSON.stringify(body), { headers: answer.headers }); }");
    }

    /** Requests have their own answers again. */
    void mend() throws IOException {
        eval("window.fetch = plainFetch");
    }

    /** Types text where the focus is, and presses Enter. */
    void submit(String text) throws IOException {
        type(text);
        press("Enter");
    }

    void expectNoSideways() throws IOException {
        assertThat(number("document.documentElement.scrollWidth - innerWidth")).isNotPositive();
    }

    /** Types text where the focus is. */
    void type(String text) throws IOException {
        call("Input.insertText", "{\"text\":" + quoted(text) + "}");
    }

    /** Presses a key. */
    void press(String key) throws IOException {
        String rest = ",\"key\":" + quoted(key) + ",\"code\":" + quoted(key.equals(" ") ? "Space" : key)
                + ",\"windowsVirtualKeyCode\":" + KEYS.get(key);
        String text = key.equals("Enter") ? ",\"text\":\"\\r\"" : key.equals(" ") ? ",\"text\":\" \"" : "";
        call(
                "Input.dispatchKeyEvent",
                "{\"type\":\"" + (text.isEmpty() ? "rawKeyDown" : "keyDown") + "\"" + text + rest + "}");
        call("Input.dispatchKeyEvent", "{\"type\":\"keyUp\"" + rest + "}");
    }

    /** A description of what has the focus. */
    String focused() throws IOException {
        return eval("(e => e.id || e.dataset.focus || e.getAttribute('aria-label') || e.textContent.trim() || e.tagName)"
                        + "(document.activeElement)")
                .asText();
    }

    void screenshot(String name) throws IOException {
        JsonNode shot = call("Page.captureScreenshot", "{\"format\":\"png\"}");
        Files.createDirectories(SCREENSHOTS);
        Files.write(
                SCREENSHOTS.resolve(name + ".png"),
                Base64.getDecoder().decode(shot.get("data").asText()));
    }

    static String quoted(String text) throws IOException {
        return Browser.JSON.writeValueAsString(text);
    }

    @Override
    public void close() throws IOException {
        browser.call(null, "Target.closeTarget", "{\"targetId\":\"" + target + "\"}");
        browser.closed(session);
    }
}
