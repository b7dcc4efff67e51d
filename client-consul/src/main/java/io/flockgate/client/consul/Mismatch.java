package io.flockgate.client.consul;

import io.flockgate.consul.format.KeyKind;
import io.flockgate.consul.format.KeyType;
import io.flockgate.consul.format.KeyView;
import io.flockgate.consul.format.KeyView.Fit;
import org.jspecify.annotations.Nullable;

/** Explains to a user why a claim does not fit a key. */
final class Mismatch {
    private Mismatch() {}

    /** The reason why a claim with this limit does not fit the key; null when it fits. */
    static @Nullable String of(KeyView view, long limit) {
        Fit fit = view.fit(limit == 1 ? KeyKind.LOCK : KeyKind.SEMAPHORE, limit);
        return fit == Fit.FITS ? null : reason(view, limit);
    }

    private static String reason(KeyView view, long limit) {
        if (view.type().orElse(null) instanceof KeyType.Known known) {
            String use = view.lock() == null || view.isEmptiedSemaphore()
                    ? "is waited for with limit " + known.limit()
                    : known.kind() == KeyKind.LOCK
                            ? "is in use as a lock, with limit 1"
                            : "is in use as a semaphore with limit " + known.limit();
            return use + ", not with limit " + limit;
        }
        return view.isEmptiedSemaphore()
                ? "is in use as a semaphore of another limit than " + limit
                : "is in use by other software: its entry in Consul is neither a lock nor a semaphore";
    }
}
