package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayConfig.StorageConfig;
import io.flockgate.gateway.config.Secrets.TokenFile;
import io.flockgate.options.Arguments;
import io.flockgate.options.Arguments.Given;
import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionException;
import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider;
import io.flockgate.storage.StorageProvider;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;

/** The storages that {@code --storage} can name. Immutable. */
public record InstalledStorages(List<StorageProvider> storages) {
    private static final class ClassPath {
        static final InstalledStorages ALL = new InstalledStorages(loaded(ServiceLoader.load(StorageProvider.class)));
    }

    public InstalledStorages {
        storages = List.copyOf(storages);
    }

    /** Those on the class path, which does not change. */
    public static InstalledStorages onClassPath() {
        return ClassPath.ALL;
    }

    private static <T> List<T> loaded(ServiceLoader<T> services) {
        return services.stream().map(ServiceLoader.Provider::get).toList();
    }

    public Optional<StorageProvider> named(String name) {
        return storages.stream().filter(storage -> storage.name().equals(name)).findFirst();
    }

    /** All names, sorted. */
    public List<String> names() {
        return storages.stream().map(StorageProvider::name).sorted().toList();
    }

    /**
     * The roster provider that goes with the storage of this name; empty if that storage cannot
     * keep rosters.
     */
    public static Optional<RosterProvider> rosters(String name) {
        return loaded(ServiceLoader.load(RosterProvider.class)).stream()
                .filter(rosters -> rosters.name().equals(name))
                .findFirst();
    }

    /** Reads the options of the storage that {@code --storage} names. */
    static final class StorageReader {
        private final Arguments sources;
        private final TokenFile files;
        private final InstalledStorages installed;

        StorageReader(Arguments sources, TokenFile files, InstalledStorages installed) {
            this.sources = sources;
            this.files = files;
            this.installed = installed;
        }

        /**
         * An unknown storage has no options. The start will fail and name the installed storages.
         */
        StorageConfig read() {
            String name = sources.get(GatewayOptions.STORAGE);
            return new StorageConfig(
                    name, installed.named(name).map(this::values).orElse(OptionValues.DEFAULTS));
        }

        private OptionValues values(StorageProvider storage) {
            refuseFlagsOfOthers(storage);
            Map<String, String> texts = new HashMap<>();
            Set<Option<?>> read = new HashSet<>();
            storage.secrets().forEach(secret -> read.addAll(List.of(secret.text(), secret.file())));
            storage.options().stream()
                    .filter(option -> !read.contains(option))
                    .forEach(option -> sources.text(option).ifPresent(text -> texts.put(option.flag(), text)));
            storage.secrets().forEach(secret -> read(secret, texts));
            OptionValues values = new OptionValues(texts);
            storage.violation(values).ifPresent(violation -> {
                throw new OptionException(violation);
            });
            return values;
        }

        /**
         * A variable may be set for another program. A flag is meant for the gateway, so its user
         * expects another storage.
         */
        private void refuseFlagsOfOthers(StorageProvider storage) {
            installed.storages().stream()
                    .<Option<?>>flatMap(other -> other.options().stream())
                    .filter(option -> !storage.options().contains(option))
                    .filter(option -> sources.onCommandLine(option).isPresent())
                    .findFirst()
                    .ifPresent(option -> {
                        throw new OptionException(option.dashed() + " has no meaning with --storage " + storage.name());
                    });
        }

        private void read(Secret secret, Map<String, String> texts) {
            List<Option<?>> both = List.of(secret.text(), secret.file());
            List<Given> flags = given(both.stream().map(sources::onCommandLine));
            List<Given> given = flags.isEmpty() ? given(both.stream().map(sources::inEnvironment)) : flags;
            if (given.size() > 1) {
                throw new OptionException(
                        given.getFirst().name() + " and " + given.getLast().name() + " must not both be given");
            }
            given.forEach(source -> read(secret, source, texts));
        }

        private static List<Given> given(Stream<Optional<Given>> sources) {
            return sources.flatMap(Optional::stream).toList();
        }

        /**
         * The storage gets the name of a file, not its content, because it rereads the file when
         * necessary.
         */
        private void read(Secret secret, Given source, Map<String, String> texts) {
            if (source.option().equals(secret.file())) {
                String unused = checked(secret, source, Secrets.inFile(source, files));
                texts.put(secret.file().flag(), source.text());
            } else {
                texts.put(secret.text().flag(), checked(secret, source, Secrets.inText(source)));
            }
        }

        private static String checked(Secret secret, Given source, String text) {
            secret.text().rule().violation().apply(text).ifPresent(violation -> {
                throw new OptionException(source.name() + ": the token " + violation);
            });
            return text;
        }
    }
}
