package io.flockgate.storage.tck;

import io.flockgate.storage.Grant.Ending;
import io.flockgate.storage.LockStorage.LeaveOutcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The history of one claim, as its claimant saw it. Moments are numbers from one counter for the
 * whole history. A call takes effect between the moments of its beginning and its answer.
 *
 * @param key the key
 * @param limit the limit of the key
 * @param asked the beginning of the claim
 * @param answered the moment of its answer
 * @param answer that answer
 * @param grants every grant of the claim, as an answer or later; at most one in a correct storage
 * @param leave the call that gave up its place, if any
 * @param lastAlive the beginning of the last release or renewal that found the grant still held; 0
 *     when there was none
 * @param released the moment of the answer of its release; 0 when there was none
 * @param endings every ending of which the claimant was notified; one for each grant in a correct
 *     storage
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

    /** A grant and the moment of its notification. */
    record Granted(long at, long fence) {}

    /** A call that gave up a place: its beginning, its answer and its outcome. */
    record Leave(long asked, long answered, LeaveOutcome outcome) {}

    /** An ending and the moment of its notification. */
    record Ended(long at, Ending ending) {}

    static ClaimHistory held(String key, long limit, long asked, long answered, long fence) {
        return queued(key, limit, asked, answered)
                .answered(answered, Answer.HELD)
                .granted(answered, fence);
    }

    static ClaimHistory queued(String key, long limit, long asked, long answered) {
        return new ClaimHistory(key, limit, asked, answered, Answer.QUEUED, List.of(), null, 0, 0, List.of());
    }

    static ClaimHistory refused(String key, long limit, long asked, long answered) {
        return queued(key, limit, asked, answered).answered(answered, Answer.REFUSED);
    }

    ClaimHistory answered(long at, Answer given) {
        return new ClaimHistory(key, limit, asked, at, given, grants, leave, lastAlive, released, endings);
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
