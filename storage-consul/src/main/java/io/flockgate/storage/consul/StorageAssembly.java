package io.flockgate.storage.consul;

import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.Names;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.key.GatewayContext;
import io.flockgate.storage.consul.key.GatewaySettings;
import io.flockgate.storage.consul.key.KeyActors;
import io.flockgate.storage.consul.key.Keys;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.SessionSettings;
import io.flockgate.storage.consul.session.Sessions;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * Creates the parts of the storage in the order of their dependencies, and starts them.
 *
 * <ol>
 *   <li>The check of writes is placed between the agent and all parts except the register of
 *       gateways, whose failures have no consequence.
 *   <li>The record of the cluster is checked before there is a session.
 *   <li>The table of the keys' actors comes before the sessions, which end the grants in it, and
 *       the router that fills it comes after them.
 *   <li>The watch of all keys starts last. It checks the record again, and may give up the
 *       sessions.
 * </ol>
 */
final class StorageAssembly {
    private static final long REGISTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Environment environment;
    private final StorageSettings settings;
    private final ConsulApi agent;
    private final ConsulConfig options;
    private final String process;
    private final KeyPaths paths;
    private final WriteCheck writes;
    private final ConsulApi api;
    private final FenceGuard fences;
    private final RecordKeeper record;
    private final Sessions sessions;
    private final GatewayContext gateway;
    private final Keys keys;

    StorageAssembly(Environment environment, StorageSettings settings, ConsulApi agent) {
        this.environment = environment;
        this.settings = settings;
        this.agent = agent;
        this.options = new ConsulConfig(settings.options());
        this.process = Names.process(
                settings.gateway(),
                HexFormat.of().toHexDigits(environment.random().nextInt()));
        this.paths = new KeyPaths(options.base(), options.map());
        AclCheck rights = new AclCheck(agent, paths);
        this.writes = new WriteCheck(environment, rights, options.sessionTtl().toNanos() / 3);
        this.api = writes.observe(agent);
        this.fences = new FenceGuard(options.fenceBase());
        this.record = record();
        KeyActors actors = new KeyActors();
        this.sessions = sessions(rights, actors);
        this.gateway = gateway();
        this.keys = new Keys(gateway, actors);
    }

    private RecordKeeper record() {
        return new RecordKeeper(
                environment, new RecordStore(api, options.base()), options.shared(), fences, options.sessionTtl());
    }

    private Sessions sessions(AclCheck rights, KeyActors actors) {
        Runnable precondition = () -> {
            rights.rights();
            record.run();
        };
        return new Sessions(
                environment,
                api,
                new SessionSettings(settings.gateway(), options.sessionTtl()),
                precondition,
                actors::sessionsLost);
    }

    private GatewayContext gateway() {
        return new GatewayContext(
                environment,
                api,
                new GroupCommit(environment, api, options.lanes(), options.together()),
                sessions,
                new DetachedSessions(environment, api, settings.gateway()),
                paths,
                new Transactions(options.holders()),
                new GatewaySettings(
                        process, settings.limits(), options.sessionTtl(), settings.gcMaxIdle(), options.watches()),
                fences);
    }

    /**
     * Starts the parts. Blocks until a first attempt to reach Consul has ended.
     *
     * @throws IllegalStateException when the record of the cluster excludes this gateway
     */
    ConsulStorage start() {
        Runnable save = memory();
        sessions.start();
        refuseConflict();
        keys.start(settings.gcInterval(), new RecordWatch(record, fences, sessions::giveUpAll));
        writes.start();
        GatewayRegister gateways = register();
        boolean saves = settings.fenceStateFile().isPresent();
        Timer saving = saves ? environment.repeat("consul-fence-file", SAVE_NANOS, save) : () -> {};
        return new ConsulStorage(gateway, keys, writes, gateways, () -> {
            saving.cancel();
            save.run();
        });
    }

    /** Reads the file that remembers the highest fence, and returns the task that writes it. */
    private Runnable memory() {
        if (settings.fenceStateFile().isEmpty()) {
            return () -> {};
        }
        FenceMemory memory = new FenceMemory(settings.fenceStateFile().get());
        memory.load().ifPresent(record::remember);
        return () -> record.remembered().ifPresent(memory::save);
    }

    /**
     * Makes a gateway that would only disturb the others fail at start-up, where its operator
     * notices.
     */
    private void refuseConflict() {
        record.conflict().ifPresent(conflict -> {
            sessions.close();
            api.close();
            throw new IllegalStateException(conflict);
        });
    }

    private GatewayRegister register() {
        GatewayRegister gateways = new GatewayRegister(
                environment,
                agent,
                sessions,
                options.base(),
                process,
                new GatewayRegister.Gateway(settings.gateway(), settings.version(), settings.page()));
        gateways.start(Math.min(options.sessionTtl().toNanos() / 3, REGISTER_NANOS));
        return gateways;
    }
}
