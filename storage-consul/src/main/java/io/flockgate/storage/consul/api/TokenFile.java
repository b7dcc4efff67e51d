package io.flockgate.storage.consul.api;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.FileStamp;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A token in a file that may be replaced. Checks the file at most once a second, unless Consul has
 * refused the token.
 */
final class TokenFile implements TokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_LENGTH = 4096;

    private final Path file;
    private final Environment environment;
    private final ReentrantLock reloading = new ReentrantLock();
    private volatile String token;
    private volatile long checked;
    private volatile boolean refused;
    // Guarded by the lock.
    private @Nullable FileStamp stamp;
    private boolean warned;

    TokenFile(Environment environment, Path file) {
        this.environment = environment;
        this.file = file;
        this.checked = environment.now();
        this.stamp = FileStamp.of(file);
        try {
            this.token = read(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("Consul's token file " + file + " cannot be read: " + reason(e), e);
        }
    }

    @Override
    public String token() {
        if ((refused || environment.now() - checked >= CHECK_NANOS) && reloading.tryLock()) {
            try {
                reload();
            } finally {
                reloading.unlock();
            }
        }
        return token;
    }

    @Override
    public void refused() {
        refused = true;
    }

    private void reload() {
        boolean mustRead = refused;
        refused = false;
        checked = environment.now();
        FileStamp now = FileStamp.of(file);
        if (!mustRead && now != null && now.equals(stamp)) {
            return;
        }
        try {
            token = read(file);
            // The stamp is older than the content: the next check finds a change between the two.
            stamp = now;
            warned = false;
        } catch (IOException | IllegalArgumentException e) {
            warn(e);
        }
    }

    private void warn(Exception e) {
        if (!warned) {
            warned = true;
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("err", reason(e))
                    .log("Consul's token file cannot be used; its last token stays in use");
        }
    }

    private static String reason(Exception e) {
        return Reason.of(e);
    }

    private static String read(Path file) throws IOException {
        return checked(new String(EndingFiles.read(file, MAX_LENGTH + 2), StandardCharsets.ISO_8859_1));
    }

    /** The token without the blanks around it. A header can contain it. */
    static String checked(String text) {
        String token = text.strip();
        if (token.isEmpty()) {
            throw new IllegalArgumentException("Consul's token is empty");
        }
        if (token.length() > MAX_LENGTH || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IllegalArgumentException("Consul's token is not one word of printable ASCII");
        }
        return token;
    }
}
