package io.flockgate.gateway.page;

import io.flockgate.gateway.http.HttpRequest;
import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Reply.Header;
import io.flockgate.gateway.http.Responder;
import io.flockgate.gateway.http.Routes.RequestHandler;
import io.flockgate.gateway.rest.Answers;
import io.flockgate.gateway.rest.RateLimiter;
import io.flockgate.gateway.rest.RestReplies;
import io.flockgate.text.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Answers with the files of the page for operators. The files hold no data, so they need no token,
 * and are served under any host name. All data comes from the REST API, which checks host, origin,
 * token and rights. Thread safe.
 */
public final class PageHandler implements RequestHandler {
    private static final int TAG_BYTES = 12;

    /**
     * Nothing but these files is loaded, documents contain no scripts, and no other page may frame
     * this one.
     */
    private static final List<Header> HEADERS = List.of(
            new Header(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
            new Header("Referrer-Policy", "no-referrer"),
            new Header("X-Frame-Options", "DENY"),
            new Header("Cache-Control", "no-cache"));

    private static final String INDEX = "/";

    /** The path of each file, which is that of its resource except for the index. */
    public static final List<String> PATHS = List.of(
            INDEX,
            "/ui/style.css",
            "/ui/app.js",
            "/ui/api.js",
            "/ui/changes.js",
            "/ui/dialog.js",
            "/ui/events.js",
            "/ui/fleet.js",
            "/ui/keys.js",
            "/ui/status.js",
            "/ui/text.js");

    private final RateLimiter limiter;
    private final Answers answers;

    public PageHandler(RateLimiter limiter, Answers answers) {
        this.limiter = limiter;
        this.answers = answers;
    }

    @Override
    public void handle(HttpRequest request, Responder responder) {
        if (!limiter.admits(request.address(), responder.loop().now())) {
            answers.refuse(responder, "rate_limited", RestReplies.RATE_LIMITED);
        } else if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            responder.reply(RestReplies.methodNotAllowed("GET, HEAD"));
        } else {
            PageFile file = Objects.requireNonNull(
                    Files.BY_PATH.get(request.head().target().path()));
            String known = request.head().header("If-None-Match");
            responder.reply(file.tag().equals(known) ? file.unchanged() : file.whole());
        }
    }

    /** Read from the jar when a browser sends the first request. */
    private static final class Files {
        private static final Map<String, PageFile> BY_PATH =
                PATHS.stream().collect(Collectors.toUnmodifiableMap(path -> path, PageHandler::read));
    }

    /** A file, and the answer to a browser that has it. */
    private record PageFile(String tag, Reply whole, Reply unchanged) {}

    private static PageFile read(String path) {
        String resource = path.equals(INDEX) ? "/ui/index.html" : path;
        try (InputStream file = PageHandler.class.getResourceAsStream(resource)) {
            byte[] bytes = Objects.requireNonNull(file, resource).readAllBytes();
            String tag = '"' + Sha256.hex(bytes).substring(0, 2 * TAG_BYTES) + '"';
            return new PageFile(
                    tag,
                    new Reply(200, typeOf(resource), HEADERS, bytes, false).with("ETag", tag),
                    new Reply(304, BodyType.NONE, HEADERS, new byte[0], false).with("ETag", tag));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BodyType typeOf(String resource) {
        return switch (resource.substring(resource.lastIndexOf('.') + 1)) {
            case "html" -> BodyType.HTML;
            case "css" -> BodyType.CSS;
            default -> BodyType.SCRIPT;
        };
    }
}
