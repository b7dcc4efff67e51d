package io.flockgate.gateway.rights;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the file of tokens again when it has changed. While the file cannot be used, its last
 * tokens stay in use, and one line at ERROR reports this for each version of it.
 */
public final class TokensReload implements ReloadedFiles.Observer<Tokens> {
    private static final Logger LOG = LoggerFactory.getLogger(TokensReload.class);

    private final Path file;
    private final Authenticator authenticator;

    /** Whether the last log line reported that the file cannot be used. */
    private boolean unusable;

    private TokensReload(Path file, Authenticator authenticator) {
        this.file = file;
        this.authenticator = authenticator;
    }

    /**
     * The check whether the file has changed, which blocks.
     *
     * @param first a token that is not in the file; null for none
     * @param authenticator has the tokens of the file, and receives those of each later version
     */
    public static Runnable check(Path file, @Nullable NamedToken first, Authenticator authenticator) {
        return ReloadedFiles.after(
                        authenticator.tokens(),
                        List.of(file),
                        () -> read(file, first),
                        new TokensReload(file, authenticator))::check;
    }

    private static Tokens read(Path file, @Nullable NamedToken first) throws IOException {
        EndingFiles.requireRegular(file);
        return Tokens.ofFile(first, EndingFiles.read(file, TokensFile.MAX_BYTES + 1));
    }

    @Override
    public void reloaded(Tokens tokens) {
        if (tokens.areOfTheSameFile(authenticator.tokens()) && !unusable) {
            return;
        }
        unusable = false;
        authenticator.replace(tokens);
        LOG.atInfo()
                .addKeyValue("file", file)
                .addKeyValue("tokens", tokens.count())
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
