package io.flockgate.storage.consul.key;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.kv.ConsulException;
import io.flockgate.storage.consul.kv.ConsulException.FailureKind;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.Sessions;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** This gateway: its access to Consul, and the knowledge that all its keys share. Thread safe. */
public final class LocalGateway {
    final Environment environment;
    final ConsulApi api;

    /** Sends the transactions of keys that no other gateway has changed lately. */
    final GroupCommit commit;

    final Sessions sessions;
    final FenceGuard fences;
    final GatewaySettings settings;
    final KeyPaths paths;
    final Transactions transactions;
    final KeyCount keyCount;
    final KeyIndex keyIndex;
    final ReadBudget readBudget;
    final LocalIndex localIndex = new LocalIndex();
    final FailureDetector detector;
    final WatchBudget budget;
    final ReadPace pace = new ReadPace();

    /** Counts the held slots of semaphores that were granted through this gateway. */
    final Capacity holders;

    final UndeliveredNonces undelivered = new UndeliveredNonces();
    private final AtomicLong tickets = new AtomicLong();
    private final Consumer<ConsulException> failures;

    /**
     * @param failures receives the failures of writes, and of reads that the token may not make
     */
    public LocalGateway(
            Environment environment,
            ConsulApi api,
            Sessions sessions,
            FenceGuard fences,
            GatewaySettings settings,
            Consumer<ConsulException> failures) {
        ConsulConfig options = settings.options();
        this.environment = environment;
        this.api = api;
        this.commit = new GroupCommit(environment, api, options.lanes(), options.together());
        this.sessions = sessions;
        this.fences = fences;
        this.settings = settings;
        this.failures = failures;
        this.paths = options.paths();
        this.transactions = new Transactions(options.holders());
        this.keyCount = new KeyCount(api, paths, settings.limits().maxLocks(), environment);
        this.keyIndex = new KeyIndex(paths, environment, keyCount);
        this.readBudget = new ReadBudget(environment, ReadBudget.of(ConsulApi.MAX_ANSWER_BYTES));
        this.detector = new FailureDetector(environment);
        this.budget = new WatchBudget(environment, options.watches());
        this.holders = new Capacity(settings.limits().maxHolders());
    }

    /** The name of a new ticket. The names sort in the order of their creation. */
    String nextTicket() {
        return Names.ticket(settings.process(), tickets.incrementAndGet());
    }

    void readFailed(ConsulException e) {
        detector.failed(e);
        if (e.kind() == FailureKind.DENIED) {
            failures.accept(e);
        }
    }

    void writeFailed(ConsulException e) {
        detector.failed(e);
        failures.accept(e);
    }
}
