package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.GroupCommit;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.format.KeyPaths;
import io.flockgate.storage.consul.format.Transactions;
import io.flockgate.storage.consul.rules.FenceGuard;
import io.flockgate.storage.consul.session.DetachedSessions;
import io.flockgate.storage.consul.session.Sessions;

/**
 * The parts of the gateway that all its keys use. Thread safe.
 *
 * @param commit sends the transactions of keys that no other gateway has changed lately
 */
public record GatewayContext(
        Environment environment,
        ConsulApi api,
        GroupCommit commit,
        Sessions sessions,
        DetachedSessions detachedSessions,
        KeyPaths paths,
        Transactions transactions,
        GatewaySettings settings,
        FenceGuard fences) {}
