package io.flockgate.storage.tck;

import io.flockgate.storage.Ending;
import io.flockgate.storage.LeaveOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one claim has come to, as its claimant saw it. Moments are numbers from one count that rises through the whole
 * history: when a call was begun, it had not happened yet; when its answer was noted, it had.
 *
 * @param key which key
 * @param limit how many may hold the key
 * @param asked when the claim was begun
 * @param answered when its answer was noted
 * @param answer what that was
 * @param grants every grant that the claimant was given, as an answer or later: one at most, if all is well
 * @param leave how it gave up its place, if it did
 * @param lastAlive when the last call was begun that proved the grant to be held still, by releasing or renewing it; 0
 *     when there was none
 * @param released when the answer of its release was noted; 0 when there was none
 * @param endings every ending that the claimant was told: one for each grant, if all is well
 */
record ClaimHistory(
        String key,
        long limit,
        long asked,
        long answered,
        Answer answer,
        List<Granted> grants,
        @Nullable Leave leave,
        long lastAlive,
        long released,
        List<Ended> endings) {
    ClaimHistory {
        grants = List.copyOf(grants);
        endings = List.copyOf(endings);
    }

    enum Answer {
        HELD,
        QUEUED,
        REFUSED
    }

    /** A grant as it was noted. */
    record Granted(long at, long fence) {}

    /** A place given up: when that was begun and answered, and how. */
    record Leave(long asked, long answered, LeaveOutcome outcome) {}

    /** An ending as it was noted. */
    record Ended(long at, Ending ending) {}

    static ClaimHistory held(String key, long limit, long asked, long answered, long fence) {
        List<Granted> grants = List.of(new Granted(answered, fence));
        return new ClaimHistory(key, limit, asked, answered, Answer.HELD, grants, null, 0, 0, List.of());
    }

    static ClaimHistory queued(String key, long limit, long asked, long answered) {
        return new ClaimHistory(key, limit, asked, answered, Answer.QUEUED, List.of(), null, 0, 0, List.of());
    }

    static ClaimHistory refused(String key, long limit, long asked, long answered) {
        return new ClaimHistory(key, limit, asked, answered, Answer.REFUSED, List.of(), null, 0, 0, List.of());
    }

    ClaimHistory granted(long at, long fence) {
        List<Granted> more = plus(grants, new Granted(at, fence));
        return new ClaimHistory(key, limit, asked, answered, answer, more, leave, lastAlive, released, endings);
    }

    ClaimHistory left(long begun, long noted, LeaveOutcome outcome) {
        Leave left = new Leave(begun, noted, outcome);
        return new ClaimHistory(key, limit, asked, answered, answer, grants, left, lastAlive, released, endings);
    }

    ClaimHistory alive(long begun) {
        return new ClaimHistory(key, limit, asked, answered, answer, grants, leave, begun, released, endings);
    }

    ClaimHistory released(long begun, long noted) {
        return new ClaimHistory(key, limit, asked, answered, answer, grants, leave, begun, noted, endings);
    }

    ClaimHistory ended(long at, Ending ending) {
        List<Ended> more = plus(endings, new Ended(at, ending));
        return new ClaimHistory(key, limit, asked, answered, answer, grants, leave, lastAlive, released, more);
    }

    private static <T> List<T> plus(List<T> list, T last) {
        List<T> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    boolean hasLeft() {
        return leave != null && leave.outcome() == LeaveOutcome.LEFT;
    }
}
