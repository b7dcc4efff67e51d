package io.flockgate.cluster.campaign;

import io.flockgate.cluster.Seconds;
import io.flockgate.cluster.campaign.Fault.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Checks the rule GAP: a grant that no client received blocks a key. A gap is a time in which a
 * client certainly waited for the key, fewer than its limit can have held it, and no client was
 * granted it. It is short if nothing was wrong then or shortly before. It is never longer than
 * Consul's last leader takes to end the sessions of dead members, not counting the time without a
 * quorum.
 */
final class GapCheck {
    private static final long NONE = Long.MIN_VALUE;

    private record Change(long at, int holders, int waiters) {}

    record Gap(String key, long from, long to) {
        long nanos() {
            return to - from;
        }
    }

    private GapCheck() {}

    static List<Fault> faults(List<Attempt> ofKey, History history, Bounds bounds) {
        List<Fault> faults = new ArrayList<>();
        for (Gap gap : gaps(ofKey)) {
            long from = gap.from() - bounds.recovery().toNanos();
            boolean calm = !history.isDisturbed(from, gap.to());
            boolean tooLong = calm && gap.nanos() > bounds.gap().toNanos();
            long counted = history.lastElection(gap.from(), gap.to());
            long alone = gap.to() - counted - history.withoutConsul(counted, gap.to());
            if (tooLong || alone > bounds.longestGap().toNanos()) {
                faults.add(new Fault(
                        Rule.GAP,
                        "%s free for %.1f s from %.3f, with waiters%s"
                                .formatted(
                                        gap.key(),
                                        Seconds.of(gap.nanos()),
                                        Seconds.of(gap.from()),
                                        calm ? "" : ", after faults")));
            }
        }
        return faults;
    }

    static Optional<Gap> worst(List<Attempt> ofKey) {
        return gaps(ofKey).stream().max(Comparator.comparingLong(Gap::nanos));
    }

    private static List<Gap> gaps(List<Attempt> ofKey) {
        String key = ofKey.getFirst().key();
        int limit = ofKey.getFirst().limit();
        List<Change> changes = changes(ofKey);
        List<Gap> gaps = new ArrayList<>();
        int holders = 0;
        int waiters = 0;
        long since = NONE;
        for (Change change : changes) {
            holders += change.holders();
            waiters += change.waiters();
            boolean free = holders < limit && waiters > 0;
            // A grant ends a gap, even if another slot stays free.
            if (since != NONE && (!free || change.holders() > 0)) {
                gaps.add(new Gap(key, since, change.at()));
                since = NONE;
            }
            if (free && since == NONE) {
                since = change.at();
            }
        }
        return gaps;
    }

    private static List<Change> changes(List<Attempt> ofKey) {
        List<Change> changes = new ArrayList<>();
        for (Attempt attempt : ofKey) {
            Call grant = attempt.grant().orElse(null);
            if (grant != null) {
                changes.add(new Change(grant.got(), 1, 0));
                changes.add(new Change(Math.max(grant.got(), Holding.latestEnd(attempt)), -1, 0));
            }
            Call surely =
                    attempt.queued().or(() -> attempt.call(Call.Action.ACQUIRE)).orElse(null);
            if (surely != null) {
                long from = surely.answer() == Answer.QUEUED ? surely.got() : surely.sent();
                long to = grant == null ? attempt.waitedUntil() : grant.got();
                if (from < to) {
                    changes.add(new Change(from, 0, 1));
                    changes.add(new Change(to, 0, -1));
                }
            }
        }
        changes.sort(Comparator.comparingLong(Change::at).thenComparing(Change::holders, Comparator.reverseOrder()));
        return changes;
    }
}
