package io.flockgate.gateway.config;

import io.flockgate.gateway.config.GatewayOptions.Section;
import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All options of an installation: the gateway's own and those of the storages.
 *
 * @param sections all options, each once, in the order of the help
 * @param secrets the flags whose values must not be shown
 */
record OptionCatalogue(List<Section> sections, Set<String> secrets) {
    OptionCatalogue {
        sections = List.copyOf(sections);
        secrets = Set.copyOf(secrets);
    }

    static OptionCatalogue of(InstalledStorages installed) {
        List<Section> sections = new ArrayList<>(List.of(GatewayOptions.TCP, GatewayOptions.LOCKS));
        sections.addAll(storages(installed));
        sections.addAll(
                List.of(GatewayOptions.TRUST, GatewayOptions.HTTP, FleetLockOptions.SECTION, GatewayOptions.PROCESS));
        Set<String> secrets = installed.storages().stream()
                .flatMap(storage -> storage.secrets().stream())
                .map(Secret::text)
                .map(Option::flag)
                .collect(Collectors.toCollection(HashSet::new));
        secrets.add(GatewayOptions.AUTH_TOKEN.flag());
        return new OptionCatalogue(sections, secrets);
    }

    /**
     * The default storage needs no separate heading. An option that storages share is listed with
     * the first of them.
     */
    private static List<Section> storages(InstalledStorages installed) {
        Set<Option<?>> listed = new LinkedHashSet<>(GatewayOptions.STORAGES.options());
        installed.named(GatewayOptions.STORAGE.fallback()).ifPresent(storage -> listed.addAll(storage.options()));
        List<Section> sections = new ArrayList<>();
        sections.add(new Section(GatewayOptions.STORAGES.title(), List.copyOf(listed)));
        installed.storages().stream()
                // Comparator.comparing creates a lambda that no AOT cache can hold.
                .sorted((one, other) -> one.name().compareTo(other.name()))
                .forEach(storage -> {
                    List<Option<?>> own =
                            storage.options().stream().filter(listed::add).toList();
                    if (!own.isEmpty()) {
                        sections.add(new Section("Storage " + storage.name(), own));
                    }
                });
        return sections;
    }

    Stream<Option<?>> options() {
        return sections.stream().flatMap(section -> section.options().stream());
    }
}
