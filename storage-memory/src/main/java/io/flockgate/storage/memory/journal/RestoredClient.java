package io.flockgate.storage.memory.journal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.storage.Claimant;
import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.Ending;
import io.flockgate.storage.Grant;
import io.flockgate.storage.KeptClient;
import io.flockgate.storage.Ticket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The claimant of grants of the previous process until another claimant adopts them; after that, it
 * stands for that other claimant.
 */
final class RestoredClient implements Claimant, KeptClient {
    private final String memo;

    @GuardedBy("this")
    private final Set<Grant> grants = new LinkedHashSet<>();

    @GuardedBy("this")
    private @Nullable Claimant adopter;

    RestoredClient(String memo) {
        this.memo = memo;
    }

    synchronized void add(Grant grant) {
        grants.add(grant);
    }

    @Override
    public byte[] memo() {
        return memo.getBytes(ISO_8859_1);
    }

    @Override
    public synchronized List<Grant> adopt(Claimant claimant) {
        adopter = claimant;
        return List.copyOf(grants);
    }

    private synchronized @Nullable Claimant adopter() {
        return adopter;
    }

    @Override
    public long id() {
        Claimant present = adopter();
        return present == null ? 0 : present.id();
    }

    @Override
    public boolean isDetached() {
        Claimant present = adopter();
        return present == null || present.isDetached();
    }

    @Override
    public ClientDescription description() {
        Claimant present = adopter();
        return present == null ? ClientDescription.UNKNOWN : present.description();
    }

    @Override
    public void granted(Ticket ticket, Grant grant) {
        throw new IllegalStateException("it claims nothing");
    }

    @Override
    public void removed(Ticket ticket) {
        throw new IllegalStateException("it claims nothing");
    }

    @Override
    public void ended(Grant grant, Ending ending) {
        Claimant present;
        synchronized (this) {
            grants.remove(grant);
            present = adopter;
        }
        if (present != null) {
            present.ended(grant, ending);
        }
    }
}
