package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.environment.Environment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A token in a file that others may replace. Looks at the file at most once a second, unless Consul refused the token. */
final class TokenFile implements TokenSource {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_LENGTH = 4096;

    private final Path file;
    private final Environment environment;
    private final ReentrantLock looking = new ReentrantLock();
    private volatile String token;
    private volatile long looked;
    private volatile boolean refused;
    // Under the lock.
    private @Nullable FileStamp stamp;
    private boolean complained;

    TokenFile(Environment environment, Path file) {
        this.environment = environment;
        this.file = file;
        this.looked = environment.now();
        this.stamp = FileStamp.of(file);
        try {
            this.token = read(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("Consul's token file " + file + " cannot be read: " + reason(e), e);
        }
    }

    @Override
    public String token() {
        if ((refused || environment.now() - looked >= LOOK_NANOS) && looking.tryLock()) {
            try {
                look();
            } finally {
                looking.unlock();
            }
        }
        return token;
    }

    @Override
    public void refused() {
        refused = true;
    }

    private void look() {
        boolean mustRead = refused;
        refused = false;
        looked = environment.now();
        FileStamp now = FileStamp.of(file);
        if (!mustRead && now != null && now.equals(stamp)) {
            return;
        }
        try {
            token = read(file);
            // The stamp was taken before the reading: a change in between is seen the next time.
            stamp = now;
            complained = false;
        } catch (IOException | IllegalArgumentException e) {
            complain(e);
        }
    }

    private void complain(Exception e) {
        if (!complained) {
            complained = true;
            LOG.warn("Consul's token file {} cannot be used, its last token stays: {}", file, reason(e));
        }
    }

    private static @Nullable String reason(Exception e) {
        return e instanceof IOException ? e.getClass().getSimpleName() : e.getMessage();
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return checked(new String(in.readNBytes(MAX_LENGTH + 2), StandardCharsets.ISO_8859_1));
        }
    }

    /** The token without the blanks around it, of a form that can stand in a header. */
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
