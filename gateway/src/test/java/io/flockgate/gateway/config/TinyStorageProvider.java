package io.flockgate.gateway.config;

import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Rule;
import io.flockgate.storage.LockStorage;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.StorageSettings;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/**
 * A third-party storage with its own options: {@code --storage=tiny}. It fails with the values that
 * it receives.
 */
public final class TinyStorageProvider implements StorageProvider {
    static final Option<Long> SLOTS = Option.of(
                    "tiny-slots", "TINY_SLOTS", OptionType.number("count"), "3", Rule.between(1, 9))
            .help("Slots of the tiny storage.");
    static final Option<Boolean> ODD = Option.of(
                    "tiny-odd", "TINY_ODD", OptionType.SWITCH, "true", Rule.any("true or false"))
            .help("Whether slots are odd.");

    @Override
    public String name() {
        return "tiny";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(SLOTS, ODD);
    }

    @Override
    public Optional<String> violation(OptionValues values) {
        boolean odd = values.get(SLOTS) % 2 == 1;
        return odd == values.get(ODD) ? Optional.empty() : Optional.of("--tiny-slots and --tiny-odd must agree");
    }

    @Override
    public Future<LockStorage> open(StorageSettings settings) {
        return Future.failedFuture(
                settings.gateway().name() + " has slots: " + settings.options().get(SLOTS));
    }
}
