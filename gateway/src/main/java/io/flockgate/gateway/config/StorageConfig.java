package io.flockgate.gateway.config;

import io.flockgate.options.OptionValues;

/**
 * The storage. Safe to print.
 *
 * @param name the name of the provider; not blank, but there may be no such provider
 * @param options the storage's options, checked
 */
public record StorageConfig(String name, OptionValues options) {}
