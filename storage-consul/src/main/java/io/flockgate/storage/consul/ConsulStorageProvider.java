package io.flockgate.storage.consul;

import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.key.Keys;
import io.flockgate.storage.consul.key.NodeSettings;
import io.flockgate.storage.consul.layout.KeyPaths;
import io.flockgate.storage.consul.layout.Transactions;
import io.flockgate.storage.consul.session.SessionSettings;
import io.flockgate.storage.consul.session.Sessions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Makes {@code --storage consul} known. A Consul that does not answer yet is no failure: the storage waits for it. */
public final class ConsulStorageProvider implements StorageProvider {
    @Override
    public String name() {
        return "consul";
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        Promise<LockStorage> opened = Promise.promise();
        Thread.ofVirtual().name("consul-open").start(() -> {
            try {
                StorageOptions options = new StorageOptions(settings.options());
                opened.complete(open(settings, options, new EcwidConsulApi(options.consul())));
            } catch (RuntimeException | Error e) {
                opened.fail(e);
            }
        });
        return opened.future();
    }

    /** Blocks until a first try to reach Consul has ended. */
    static ConsulStorage open(StorageSettings settings, StorageOptions options, ConsulApi api) {
        String process = KeyPaths.process(options.node(), HexFormat.of().toHexDigits(new SecureRandom().nextInt()));
        KeyPaths paths = new KeyPaths(options.base(), options.map());
        AtomicReference<@Nullable Keys> told = new AtomicReference<>();
        Sessions sessions = new Sessions(
                api,
                new SessionSettings(options.node(), options.sessionTtl(), options.checkTtl()),
                process,
                settings.clock(),
                new AclCheck(api, paths),
                lost -> tell(told, lost));
        Keys keys = new Keys(
                api,
                sessions,
                paths,
                new Transactions(options.holders()),
                settings.clock(),
                new NodeSettings(process, settings.maxWaiters(), options.sessionTtl(), settings.gcMaxIdle()),
                settings.maxLocks(),
                options.fenceBase(),
                options.watches(),
                new GroupCommit(api, options.lanes(), options.together()));
        told.set(keys);
        sessions.start();
        keys.start(settings.gcInterval());
        return new ConsulStorage(api, sessions, keys);
    }

    private static void tell(AtomicReference<@Nullable Keys> told, Set<String> lost) {
        Keys keys = told.get();
        if (keys != null) {
            keys.sessionsLost(lost);
        }
    }
}
