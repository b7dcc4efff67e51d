package io.flockgate.storage.memory.roster;

import io.flockgate.roster.Member;
import io.flockgate.roster.Roster;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A journal that the last version with journals wrote, and the rosters after each of its frames. */
final class OldJournal {
    static final int HEADER = 30;
    static final int FRAME_HEAD = 20;

    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00.5Z");

    private OldJournal() {}

    static byte[] bytes() {
        try (InputStream in = OldJournal.class.getResourceAsStream("fleetlock.journal")) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("not read", e);
        }
    }

    /** Where each frame ends. */
    static List<Integer> ends() {
        ByteBuffer journal = ByteBuffer.wrap(bytes());
        List<Integer> ends = new ArrayList<>();
        for (int end = HEADER; end < journal.limit(); ) {
            end += FRAME_HEAD + journal.getInt(end + Integer.BYTES);
            ends.add(end);
        }
        return ends;
    }

    /** The rosters after each frame. */
    static List<Map<String, Roster>> states() {
        Member m1 = new Member("m1", 1, NOON, NOON, "192.0.2.1", "node-1");
        Member m2 = new Member("m2", 2, NOON.plusNanos(1), NOON.plusSeconds(60), "", "node-2");
        Member m3 = new Member("m3", 3, NOON, NOON, "192.0.2.3", "node-1");
        Member extreme = new Member("a", 7, Instant.MIN, Instant.MAX, "2001:db8::1", "");
        Member odd = new Member("\ud800 \"x\"", Long.MAX_VALUE, NOON, NOON, "192.0.2.2", "node-1");
        Roster one = Roster.EMPTY.with(m1);
        Roster two = one.with(m2);
        Roster paused = two.without("m1").paused("why \u00e4 \ud83d\udd12 \ud800", NOON);
        Roster last = new Roster(2, Optional.empty(), paused.members()).with(m3);
        Roster other = Roster.EMPTY.with(extreme);
        Roster otherLast = other.with(odd);
        Roster upper = Roster.EMPTY.paused("", NOON);
        return List.of(
                Map.of(),
                Map.of("workers", one),
                Map.of("workers", two, "default", other),
                Map.of("workers", paused, "default", other),
                Map.of("workers", paused, "default", otherLast, "W", upper),
                Map.of("workers", last, "default", otherLast, "W", upper));
    }
}
