package io.flockgate.storage.consul.key;

import io.flockgate.storage.Capacity;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.Sessions;
import java.util.concurrent.atomic.AtomicLong;

/** This gateway: its access to Consul, and the knowledge that all its keys share. Thread safe. */
public final class LocalGateway {
    final Environment environment;
    final ConsulApi api;
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

    /**
     * @param commit sends the transactions of keys that no other gateway has changed lately
     */
    public LocalGateway(
            Environment environment,
            ConsulApi api,
            GroupCommit commit,
            Sessions sessions,
            FenceGuard fences,
            GatewaySettings settings) {
        this.environment = environment;
        this.api = api;
        this.commit = commit;
        this.sessions = sessions;
        this.fences = fences;
        this.settings = settings;
        this.paths = settings.paths();
        this.transactions = new Transactions(settings.form());
        this.keyCount = new KeyCount(api, paths, settings.limits().maxLocks(), environment);
        this.keyIndex = new KeyIndex(paths, environment, keyCount);
        this.readBudget = new ReadBudget(environment, ReadBudget.of(ConsulApi.MAX_ANSWER_BYTES));
        this.detector = new FailureDetector(environment);
        this.budget = new WatchBudget(environment, settings.watches());
        this.holders = new Capacity(settings.limits().maxHolders());
    }

    /** The name of a new ticket. The names sort in the order of their creation. */
    String nextTicket() {
        return Names.ticket(settings.process(), tickets.incrementAndGet());
    }
}
