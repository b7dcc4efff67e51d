package io.flockgate.storage.consul;

import io.flockgate.consul.format.Names;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.rules.FenceGuard;
import io.flockgate.options.Option;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Secret;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.config.OptionTable;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.Environment.Timer;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.key.GatewaySettings;
import io.flockgate.storage.consul.key.Keys;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.SessionSettings;
import io.flockgate.storage.consul.session.Sessions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The provider of {@code --storage consul}. If Consul does not answer yet, the storage opens and
 * waits for it.
 */
public final class ConsulStorageProvider implements StorageProvider {
    private static final long REGISTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long SAVE_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public String name() {
        return "consul";
    }

    @Override
    public List<Option<?>> options() {
        return OptionTable.ALL;
    }

    @Override
    public List<Secret> secrets() {
        return OptionTable.SECRETS;
    }

    @Override
    public Optional<String> violation(OptionValues values) {
        return OptionTable.violation(values);
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        Promise<LockStorage> opened = Promise.promise();
        Environment environment = new SystemEnvironment(settings.clock());
        environment.start("consul-open", () -> {
            try {
                ConsulConfig config = new ConsulConfig(settings.options());
                ConsulApi api = new EcwidConsulApi(environment, config.consul(environment));
                opened.complete(open(environment, settings, api));
            } catch (RuntimeException | Error e) {
                environment.close();
                opened.fail(e);
            }
        });
        return opened.future();
    }

    /** Blocks until a first attempt to reach Consul has ended. */
    static ConsulStorage open(Environment environment, StorageSettings settings, ConsulApi agent) {
        ConsulConfig options = new ConsulConfig(settings.options());
        String process = Names.process(
                settings.gateway(),
                HexFormat.of().toHexDigits(environment.random().nextInt()));
        KeyPaths paths = new KeyPaths(options.base(), options.map());
        AtomicReference<@Nullable Keys> receiver = new AtomicReference<>();
        FenceGuard fences = new FenceGuard(options.fenceBase());
        AclCheck rights = new AclCheck(agent, paths);
        WriteCheck writes =
                new WriteCheck(environment, rights, options.sessionTtl().toNanos() / 3);
        ConsulApi api = writes.observe(agent);
        AtomicReference<@Nullable Sessions> given = new AtomicReference<>();
        RecordKeeper record = new RecordKeeper(
                environment,
                new RecordStore(api, options.base()),
                new Members(api, paths),
                options.shared(),
                fences,
                options.adopt(),
                options.sessionTtl(),
                () -> giveUpAll(given));
        Sessions sessions = new Sessions(
                environment,
                api,
                new SessionSettings(settings.gateway(), options.sessionTtl()),
                () -> {
                    rights.rights();
                    record.run();
                },
                lost -> notify(receiver, lost));
        DetachedSessions detached = new DetachedSessions(environment, api, settings.gateway());
        Keys keys = new Keys(
                environment,
                api,
                sessions,
                detached,
                paths,
                new Transactions(options.holders()),
                new GatewaySettings(process, settings.limits(), options.sessionTtl(), settings.gcMaxIdle()),
                settings.limits().maxLocks(),
                fences,
                options.watches(),
                new GroupCommit(environment, api, options.lanes(), options.together()));
        receiver.set(keys);
        given.set(sessions);
        Runnable save = memory(settings, record);
        sessions.start();
        refuseToStart(record, sessions, api);
        keys.start(settings.gcInterval(), record);
        writes.start();
        GatewayRegister gateways = new GatewayRegister(
                environment,
                agent,
                sessions,
                options.base(),
                process,
                new GatewayRegister.Gateway(settings.gateway(), settings.version(), settings.page()));
        gateways.start(Math.min(options.sessionTtl().toNanos() / 3, REGISTER_NANOS));
        boolean saves = settings.fenceStateFile().isPresent();
        Timer saving = saves ? environment.repeat("consul-fence-file", SAVE_NANOS, save) : () -> {};
        return new ConsulStorage(environment, api, sessions, detached, keys, writes, gateways, () -> {
            saving.cancel();
            save.run();
        });
    }

    /** Reads the file that remembers the highest fence, and returns the task that writes it. */
    private static Runnable memory(StorageSettings settings, RecordKeeper record) {
        if (settings.fenceStateFile().isEmpty()) {
            return () -> {};
        }
        FenceMemory memory = new FenceMemory(settings.fenceStateFile().get());
        memory.load().ifPresent(record::remember);
        return () -> record.remembered().ifPresent(memory::save);
    }

    /** A gateway that would only be in the way of the others says so where its operator looks. */
    private static void refuseToStart(RecordKeeper record, Sessions sessions, ConsulApi api) {
        record.conflict().ifPresent(conflict -> {
            sessions.close();
            api.close();
            throw new IllegalStateException(conflict);
        });
    }

    private static void giveUpAll(AtomicReference<@Nullable Sessions> given) {
        Sessions sessions = given.get();
        if (sessions != null) {
            sessions.giveUpAll();
        }
    }

    private static void notify(AtomicReference<@Nullable Keys> receiver, Set<String> lost) {
        Keys keys = receiver.get();
        if (keys != null) {
            keys.sessionsLost(lost);
        }
    }
}
