package io.flockgate.gateway.rights;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens again when it has changed. While the file cannot be used, its last
 * tokens stay in use, and one line at ERROR reports this for each version of it.
 */
public final class TokensReload {
    private static final Logger LOG = LoggerFactory.getLogger(TokensReload.class);

    private final Path file;
    private final @Nullable NamedToken first;
    private final Authenticator authenticator;
    private final ReloadedFiles<Version> versions;

    /**
     * A version of the file.
     *
     * @param tokens all tokens, with one that is not in the file
     * @param hash the SHA-256 of the content, in hexadecimal digits
     */
    public record Version(Tokens tokens, String hash) {
        /**
         * Reads the content of the file.
         *
         * @param first a token that is not in the file; null for none
         * @throws IllegalArgumentException with a message for an operator
         */
        public static Version of(@Nullable NamedToken first, byte[] content) {
            Tokens tokens = Tokens.of(first, TokensFile.read(content));
            return new Version(tokens, HexFormat.of().formatHex(Sha256.of(content)));
        }
    }

    /**
     * Creates the reader of a file that has been read before.
     *
     * @param first a token that is not in the file; null for none
     * @param before the version that was read
     */
    public TokensReload(Path file, @Nullable NamedToken first, Authenticator authenticator, Version before) {
        this.file = file;
        this.first = first;
        this.authenticator = authenticator;
        this.versions = ReloadedFiles.after(before, List.of(file), this::read, new Changes(before.hash()));
    }

    /** Reads the file if it has changed. Blocks. */
    public void check() {
        versions.check();
    }

    private Version read() throws IOException {
        EndingFiles.requireRegular(file);
        return Version.of(first, EndingFiles.read(file, TokensFile.MAX_BYTES + 1));
    }

    private final class Changes implements ReloadedFiles.Observer<Version> {
        private String hash;

        /** Whether the last log line reported that the file cannot be used. */
        private boolean unusable;

        private Changes(String hash) {
            this.hash = hash;
        }

        @Override
        public void reloaded(Version version) {
            if (version.hash().equals(hash) && !unusable) {
                return;
            }
            hash = version.hash();
            unusable = false;
            authenticator.replace(version.tokens());
            LOG.atInfo()
                    .addKeyValue("file", file)
                    .addKeyValue("tokens", version.tokens().count())
                    .log("tokens file read again");
        }

        @Override
        public void unusable(Exception failure) {
            unusable = true;
            LOG.atError()
                    .addKeyValue("file", file)
                    .addKeyValue("err", Reason.of(failure))
                    .log("tokens file cannot be used; its last version stays in use");
        }
    }
}
