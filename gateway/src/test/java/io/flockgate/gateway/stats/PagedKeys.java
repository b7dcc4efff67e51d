package io.flockgate.gateway.stats;

import io.flockgate.storage.Key;
import io.flockgate.storage.KeyAdministration;
import io.flockgate.storage.KeyAdministration.EvictOutcome;
import io.flockgate.storage.KeyAdministration.KeyUsage;
import io.flockgate.storage.KeyAdministration.LimitOutcome;
import io.flockgate.storage.KeyAdministration.RemoveOutcome;
import io.flockgate.storage.KeyDetail;
import io.flockgate.storage.KeyDetail.KeyDetailQuery;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeyQuery.KeyPage;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.StorageException;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** A storage that can only list some keys, a page at a time. */
public class PagedKeys implements KeyAdministration {
    private final List<KeySummary> keys;
    private final int mostPerPage;
    private Optional<StorageException> failure = Optional.empty();
    private Future<?> gate = Future.succeededFuture();
    private int queries;

    /**
     * @param mostPerPage the maximum page size, because a storage may return fewer keys than
     *     requested
     */
    public PagedKeys(List<KeySummary> keys, int mostPerPage) {
        this.keys = keys;
        this.mostPerPage = mostPerPage;
    }

    public synchronized void failFromNowOn(StorageException cause) {
        failure = Optional.of(cause);
    }

    /** Answers later queries only once this future is complete. */
    public synchronized void answerAfter(Future<?> event) {
        gate = event;
    }

    public synchronized int queries() {
        return queries;
    }

    @Override
    public Future<EvictOutcome> evict(Key key, long fence, boolean force) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Future<RemoveOutcome> removeWaiter(Key key, String waiter) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Future<LimitOutcome> setLimit(Key key, long limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized Future<KeyPage> inspect(KeyQuery query) {
        queries++;
        if (failure.isPresent()) {
            return Future.failedFuture(failure.get());
        }
        int from = 0;
        Key after = query.after();
        if (after != null) {
            while (!keys.get(from).key().equals(after)) {
                from++;
            }
            from++;
        }
        int to = Math.min(keys.size(), from + Math.min(mostPerPage, query.limit()));
        return gate.map(new KeyPage(
                keys.subList(from, to).stream().filter(query.filter()::matches).toList(),
                to == keys.size() ? null : keys.get(to - 1).key()));
    }

    @Override
    public Future<Optional<KeyDetail>> inspect(KeyDetailQuery query) {
        throw new UnsupportedOperationException();
    }

    @Override
    public KeyUsage usage() {
        return new KeyUsage(5, 2, 1024);
    }

    @Override
    public Optional<String> failureReason() {
        return Optional.empty();
    }
}
