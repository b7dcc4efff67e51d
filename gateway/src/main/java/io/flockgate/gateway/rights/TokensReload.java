package io.flockgate.gateway.rights;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.FileStamp;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens again when it has changed. While the file cannot be used, its last
 * tokens stay in use, and one line at ERROR says so for each version of it. {@link #check} blocks,
 * and is to be called by one thread at a time.
 */
public final class TokensReload {
    private static final Logger LOG = LoggerFactory.getLogger(TokensReload.class);

    private final Path file;
    private final @Nullable NamedToken first;
    private final Authenticator authenticator;
    private byte[] content;
    private @Nullable FileStamp stamp;
    private String fault = "";

    /**
     * Makes the reader of a file that has been read before.
     *
     * @param first a token that no file names; null for none
     * @param contentHash the SHA-256 of what the file had in it
     */
    public TokensReload(Path file, @Nullable NamedToken first, Authenticator authenticator, byte[] contentHash) {
        this.file = file;
        this.first = first;
        this.authenticator = authenticator;
        this.content = contentHash.clone();
    }

    /** Looks at the file, and reads it if it is another than before. */
    public synchronized void check() {
        FileStamp now = FileStamp.of(file);
        if (now != null && now.equals(stamp)) {
            return;
        }
        try {
            read();
            fault = "";
        } catch (IOException | IllegalArgumentException e) {
            failed(Reason.of(e), now);
        }
        // The stamp is older than the content: the next check finds a change between the two.
        stamp = now;
    }

    private void read() throws IOException {
        EndingFiles.requireRegular(file);
        byte[] bytes = EndingFiles.read(file, TokensFile.MAX_BYTES + 1);
        byte[] hash = Sha256.of(bytes);
        if (Arrays.equals(hash, content) && fault.isEmpty()) {
            return;
        }
        Tokens tokens = Tokens.of(first, TokensFile.read(bytes));
        content = hash;
        authenticator.replace(tokens);
        LOG.atInfo()
                .addKeyValue("file", file)
                .addKeyValue("tokens", tokens.count())
                .log("tokens file read again");
    }

    private void failed(String reason, @Nullable FileStamp now) {
        String found = reason + " " + now;
        if (!found.equals(fault)) {
            fault = found;
            LOG.atError()
                    .addKeyValue("file", file)
                    .addKeyValue("err", reason)
                    .log("tokens file cannot be used; its last version stays in use");
        }
    }
}
