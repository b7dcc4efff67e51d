package io.flockgate.gateway.rights;

import io.flockgate.file.EndingFiles;
import io.flockgate.file.ReloadedFiles;
import io.flockgate.gateway.log.Audit;
import io.flockgate.gateway.rights.Tokens.NamedToken;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tokens that clients must present. They may be replaced at any time; even if none is left,
 * every client must present one. A gateway without tokens has no authenticator. Thread safe.
 */
public final class Authenticator {
    private static final Logger LOG = LoggerFactory.getLogger(Authenticator.class);

    private final Audit audit;
    private volatile Tokens tokens;

    /**
     * @param audit logs what the rights of a token refuse
     */
    public Authenticator(Tokens tokens, Audit audit) {
        this.tokens = tokens;
        this.audit = audit;
    }

    public Audit audit() {
        return audit;
    }

    /** The current tokens, which are another object after each change. */
    public Tokens tokens() {
        return tokens;
    }

    void replace(Tokens others) {
        tokens = others;
    }

    /**
     * Returns a check that is true until the tokens change. It is never true if they have already
     * changed since this token was found, because its rights may have changed with them.
     */
    @SuppressWarnings("ReferenceEquality") // the tokens are another object after each change
    public BooleanSupplier unchanged(NamedToken token) {
        Tokens now = tokens;
        boolean known = now.has(token);
        return () -> known && tokens == now;
    }

    /**
     * Returns the check whether the file of the tokens has changed, which blocks and reads it
     * again. While the file cannot be used, its last tokens stay in use, and one line at ERROR
     * reports this for each version of it.
     *
     * @param first a token that is not in the file; null for none
     */
    public Runnable reload(Path file, @Nullable NamedToken first) {
        return ReloadedFiles.after(tokens, List.of(file), () -> read(file, first), new Reload(file))::check;
    }

    private static Tokens read(Path file, @Nullable NamedToken first) throws IOException {
        EndingFiles.requireRegular(file);
        return Tokens.ofFile(first, EndingFiles.read(file, TokensFile.MAX_BYTES + 1));
    }

    private final class Reload implements ReloadedFiles.Observer<Tokens> {
        private final Path file;

        /** Whether the last log line reported that the file cannot be used. */
        private boolean unusable;

        private Reload(Path file) {
            this.file = file;
        }

        @Override
        public void reloaded(Tokens read) {
            if (read.areOfTheSameFile(tokens) && !unusable) {
                return;
            }
            unusable = false;
            replace(read);
            LOG.atInfo()
                    .addKeyValue("file", file)
                    .addKeyValue("tokens", read.count())
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
