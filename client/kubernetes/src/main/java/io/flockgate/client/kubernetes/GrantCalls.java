package io.flockgate.client.kubernetes;

import io.flockgate.client.LeaseBackend.GrantRequest;
import io.flockgate.client.LeaseBackend.ReleaseResult;
import io.flockgate.client.LeaseBackend.RenewResult;
import io.flockgate.client.LeaseUnavailableException;
import io.flockgate.client.kubernetes.ApiAnswer.Failed;
import io.flockgate.client.kubernetes.ApiAnswer.Found;
import io.flockgate.client.kubernetes.ApiAnswer.Missing;
import io.flockgate.client.kubernetes.LeaseRecord.GrantToken;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Carries out renewals and releases.
 *
 * <ol>
 *   <li>It uses the object as this process last saw it, or reads it. The object must name the
 *       grant: its owner, the hash of its secret, and its number of transitions. Only an object
 *       that was just read proves that the grant has ended.
 *   <li>It writes the object at that version, so that a release never affects the lease of a
 *       successor.
 *   <li>After a conflict it reads again: if the object still names the grant, another client has
 *       changed something else, for example a label.
 *   <li>After a failure it pauses and reads again, until the deadline. Then the result is unknown.
 * </ol>
 */
final class GrantCalls {
    private final KubernetesBackend backend;

    /** The objects, keyed by the tokens of the grants that this process holds. */
    private final Recent<LeaseRecord> known = new Recent<>();

    GrantCalls(KubernetesBackend backend) {
        this.backend = backend;
    }

    /** Records the object as the claim of this grant left it. */
    void know(String token, LeaseRecord lease) {
        known.put(token, lease);
    }

    RenewResult renew(GrantRequest request) throws InterruptedException {
        LeaseRecord renewed = new Call(request).change(lease -> lease.renewed(request.ttl(), backend.wallTime()));
        if (renewed == null) {
            known.remove(request.token());
            return new RenewResult.NotHeld();
        }
        known.put(request.token(), renewed);
        return new RenewResult.Renewed(request.ttl());
    }

    ReleaseResult release(GrantRequest request) throws InterruptedException {
        Call call = new Call(request);
        LeaseRecord released = call.change(lease -> lease.released(backend.wallTime()));
        known.remove(request.token());
        return released != null || call.maybeDone ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
    }

    /** One change to the object of a grant. */
    private final class Call {
        private final GrantRequest request;
        private final String objectName;
        private final long deadline;
        private final CompletableFuture<Void> never = new CompletableFuture<>();
        private int failures;
        private boolean maybeDone;

        Call(GrantRequest request) {
            this.request = request;
            this.objectName = ObjectNames.of(request.name());
            this.deadline = backend.now() + request.timeout().toNanos();
        }

        /** The changed object; null if the grant is no longer held. */
        @Nullable
        LeaseRecord change(UnaryOperator<LeaseRecord> change) throws InterruptedException {
            GrantToken token = GrantToken.of(request.token());
            if (token == null) {
                return null;
            }
            LeaseRecord seen = known.get(request.token());
            LeaseRecord lease = seen != null ? seen : read(token);
            while (lease != null) {
                ApiAnswer answer = backend.api.replace(objectName, change.apply(lease), deadline, false);
                if (answer instanceof Found written) {
                    return written.lease();
                }
                if (answer instanceof Missing) {
                    return null;
                }
                if (answer instanceof Failed failed) {
                    maybeDone |= failed.maybeDone();
                    pauseAfter(failed);
                }
                lease = read(token);
            }
            return null;
        }

        /** The current object; null if it no longer names the grant. */
        private @Nullable LeaseRecord read(GrantToken token) throws InterruptedException {
            while (true) {
                ApiAnswer answer = backend.api.get(objectName, deadline, false);
                if (answer instanceof Found found) {
                    return found.lease().isHeldBy(request.owner(), token) ? found.lease() : null;
                }
                if (answer instanceof Missing) {
                    return null;
                }
                if (answer instanceof Failed failed) {
                    pauseAfter(failed);
                }
            }
        }

        private void pauseAfter(Failed failed) throws InterruptedException {
            var pause = backend.afterFailure(failed, ++failures);
            if (backend.now() + pause.toNanos() >= deadline) {
                throw new LeaseUnavailableException(failed.why(), true, failed.cause());
            }
            backend.pause(pause, never);
        }
    }
}
