package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A builder of the entries below one key's prefix. Each entry has a higher index than the one
 * before.
 */
public final class Entries {
    public static final KeyPath PATH = new KeyPath("base/job", false);

    private final List<KvEntry> entries = new ArrayList<>();
    private long index = 100;

    public Entries lock(long flags, String value, @Nullable String session) {
        return add(PATH.lock(), flags, value.getBytes(UTF_8), session);
    }

    public Entries document(String value) {
        return lock(Flags.SEMAPHORE, value, null);
    }

    public Entries contender(String session, byte[] value) {
        return add(PATH.contender(session), Flags.SEMAPHORE, value, session);
    }

    Entries foreignContender(String session) {
        return contender(session, new byte[0]);
    }

    public Entries ours(String session, String nonce) {
        return contender(session, mark(nonce).toBytes());
    }

    public Entries ticket(String name, Kind kind, long limit) {
        return add(PATH.ticket(name), Flags.NONE, new TicketMark("gw", kind, limit, 0).toBytes(), "p-session");
    }

    Entries sequence() {
        return add(PATH.sequence(), Flags.NONE, "gw-1".getBytes(UTF_8), null);
    }

    public Entries add(String key, long flags, byte[] value, @Nullable String session) {
        index++;
        entries.add(new KvEntry(key, flags, value, session, index, index));
        return this;
    }

    public KeyView view() {
        return KeyView.of(PATH, new KvList(entries, index));
    }

    public static HolderMark mark(String nonce) {
        return HolderMark.of("gw", nonce, 1, 30_000);
    }
}
