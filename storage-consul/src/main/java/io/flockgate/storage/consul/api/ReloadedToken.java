package io.flockgate.storage.consul.api;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A token in a file that may be replaced. Checks the file at most once a second, unless Consul has
 * refused the token.
 */
final class ReloadedToken implements TokenSource, ReloadedFiles.Observer<String> {
    private static final Logger LOG = LoggerFactory.getLogger(ReloadedToken.class);
    private static final int MAX_LENGTH = 4096;

    private final Path file;
    private final Environment environment;
    private final ReloadedFiles<String> tokens;

    ReloadedToken(Environment environment, Path file) {
        this.environment = environment;
        this.file = file;
        try {
            this.tokens = ReloadedFiles.read(List.of(file), () -> read(file), this, environment.now());
        } catch (IOException e) {
            throw new IllegalArgumentException("Consul's token file " + file + " cannot be read: " + Reason.of(e), e);
        }
    }

    @Override
    public String token() {
        return tokens.current(environment.now());
    }

    @Override
    public void refused() {
        tokens.distrust();
    }

    @Override
    public void reloaded(String token) {
        // Consul's answers show whether the token is valid.
    }

    @Override
    public void unusable(Exception failure) {
        LOG.atWarn()
                .addKeyValue("file", file)
                .addKeyValue("err", Reason.of(failure))
                .log("Consul's token file cannot be used; its last token stays in use");
    }

    private static String read(Path file) throws IOException {
        return checked(new String(EndingFiles.read(file, MAX_LENGTH + 2), StandardCharsets.ISO_8859_1));
    }

    /** The token without surrounding white space, in a form that a header can contain. */
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
