package io.flockgate.gateway.config;

/**
 * The storage.
 *
 * @param name of the provider; not blank, but whether there is such a provider is not known here
 */
public record StorageConfig(String name) {}
