package io.flockgate.gateway.page;

import io.flockgate.gateway.http.Reply;
import io.flockgate.gateway.http.Reply.BodyType;
import io.flockgate.gateway.http.Reply.Header;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The files of the page, as replies. They are read from the jar once, when they are first asked
 * for. Immutable.
 */
final class PageFiles {
    private static final int TAG_BYTES = 12;

    /**
     * Nothing but these files is loaded, no script stands in a document, and no other page may
     * frame this one.
     */
    private static final List<Header> HEADERS = List.of(
            new Header(
                    "Content-Security-Policy",
                    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
            new Header("Referrer-Policy", "no-referrer"),
            new Header("X-Frame-Options", "DENY"),
            new Header("Cache-Control", "no-cache"));

    private final Map<String, PageFile> files = new HashMap<>();

    private PageFiles() {
        add("/", "index.html", BodyType.HTML);
        add("/ui/style.css", "style.css", BodyType.CSS);
        for (String script : List.of("app", "api", "changes", "dialog", "events", "fleet", "keys", "status", "text")) {
            add("/ui/" + script + ".js", script + ".js", BodyType.SCRIPT);
        }
    }

    /** Read when the first request of a browser comes. */
    private static final class Holder {
        private static final PageFiles FILES = new PageFiles();
    }

    /** A file, and the answer to a browser that has it. */
    record PageFile(String tag, Reply whole, Reply unchanged) {}

    /** Whether a path may be one of a file; does not read the files. */
    static boolean mayHave(String path) {
        return path.equals("/") || path.startsWith("/ui/");
    }

    /** The file at this path; null without one. */
    static @Nullable PageFile at(String path) {
        return Holder.FILES.files.get(path);
    }

    private void add(String path, String name, BodyType type) {
        byte[] bytes = read("/ui/" + name);
        String tag = '"' + HexFormat.of().formatHex(digest(bytes), 0, TAG_BYTES) + '"';
        files.put(
                path,
                new PageFile(
                        tag,
                        new Reply(200, type, HEADERS, bytes, false).with("ETag", tag),
                        new Reply(304, BodyType.NONE, HEADERS, new byte[0], false).with("ETag", tag)));
    }

    private static byte[] read(String resource) {
        try (InputStream file = PageFiles.class.getResourceAsStream(resource)) {
            return Objects.requireNonNull(file, resource).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
