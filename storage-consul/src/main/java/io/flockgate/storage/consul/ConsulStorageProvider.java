package io.flockgate.storage.consul;

import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.config.OptionTable;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Optional;

/**
 * The provider of {@code --storage consul}. If Consul does not answer yet, the storage opens anyway
 * and waits for it.
 */
public final class ConsulStorageProvider implements StorageProvider {
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
                opened.complete(ConsulStorage.open(environment, settings, api));
            } catch (RuntimeException | Error e) {
                environment.close();
                opened.fail(e);
            }
        });
        return opened.future();
    }
}
