/**
 * The format of Flockgate's keys in Consul: names, values, the view of one key, and the
 * transactions that change it (protocol-docs/consul-layout.md). Pure: no clock, no thread, no I/O.
 */
@NullMarked
package io.flockgate.storage.consul.format;

import org.jspecify.annotations.NullMarked;
