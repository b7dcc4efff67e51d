package io.flockgate.storage.consul.api;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A source of the ACL token. Thread safe. */
public interface TokenSource {
    /** The token to send now; null for none. */
    @Nullable
    String token();

    /** Records that Consul has refused the token. */
    default void refused() {}

    /** A source without a token, for the rights that Consul grants to every client. */
    static TokenSource none() {
        return () -> null;
    }

    /**
     * A source of one token.
     *
     * @throws IllegalArgumentException when the text is not a token
     */
    static TokenSource of(String token) {
        String checked = Reloaded.checked(token);
        return () -> checked;
    }

    /**
     * The token in a file, which is read again when it changes. While the file has no valid token,
     * its last token stays in use.
     *
     * @throws IllegalArgumentException when the file has no valid token now
     */
    static TokenSource file(Environment environment, Path file) {
        return new Reloaded(environment, file);
    }

    /**
     * A token in a file that may be replaced. Checks the file at most once a second, unless Consul
     * has refused the token.
     */
    final class Reloaded implements TokenSource, ReloadedFiles.Observer<String> {
        private static final Logger LOG = LoggerFactory.getLogger(Reloaded.class);
        private static final int MAX_LENGTH = 4096;

        private final Path file;
        private final Environment environment;
        private final ReloadedFiles<String> tokens;

        Reloaded(Environment environment, Path file) {
            this.environment = environment;
            this.file = file;
            try {
                this.tokens = ReloadedFiles.read(List.of(file), () -> read(file), this, environment.now());
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "Consul's token file " + file + " cannot be read: " + Reason.of(e), e);
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
}
