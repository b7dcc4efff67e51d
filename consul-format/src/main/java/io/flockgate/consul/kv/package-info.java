/**
 * Consul's key-value store as values: entries, operations, the results of transactions, and the
 * meaning of its errors.
 */
@NullMarked
package io.flockgate.consul.kv;

import org.jspecify.annotations.NullMarked;
