package io.flockgate.gateway.page;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Reply.Header;
import io.flockgate.text.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The files of the page, as replies. They are read from the jar once, when they are first
 * requested. Immutable.
 */
final class PageFiles {
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
    static final List<String> PATHS = List.of(
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

    private final Map<String, PageFile> files = new HashMap<>();

    private PageFiles() {
        for (String path : PATHS) {
            String resource = path.equals(INDEX) ? "/ui/index.html" : path;
            files.put(path, file(read(resource), typeOf(resource)));
        }
    }

    private static BodyType typeOf(String resource) {
        return switch (resource.substring(resource.lastIndexOf('.') + 1)) {
            case "html" -> BodyType.HTML;
            case "css" -> BodyType.CSS;
            default -> BodyType.SCRIPT;
        };
    }

    /** Read when a browser sends the first request. */
    private static final class Holder {
        private static final PageFiles FILES = new PageFiles();
    }

    /** A file, and the answer to a browser that has it. */
    record PageFile(String tag, Reply whole, Reply unchanged) {}

    /** The file at one of {@link #PATHS}. */
    static PageFile at(String path) {
        return Objects.requireNonNull(Holder.FILES.files.get(path), path);
    }

    private static PageFile file(byte[] bytes, BodyType type) {
        String tag = '"' + Sha256.hex(bytes).substring(0, 2 * TAG_BYTES) + '"';
        return new PageFile(
                tag,
                new Reply(200, type, HEADERS, bytes, false).with("ETag", tag),
                new Reply(304, BodyType.NONE, HEADERS, new byte[0], false).with("ETag", tag));
    }

    private static byte[] read(String resource) {
        try (InputStream file = PageFiles.class.getResourceAsStream(resource)) {
            return Objects.requireNonNull(file, resource).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
