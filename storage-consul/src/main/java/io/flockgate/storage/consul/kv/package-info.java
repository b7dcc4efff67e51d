/**
 * Consul's key-value store as values: entries, operations, the results of transactions, and the
 * meaning of its errors.
 */
@NullMarked
package io.flockgate.storage.consul.kv;

import org.jspecify.annotations.NullMarked;
