package io.flockgate.roster;

import io.flockgate.options.OptionValues;
import io.vertx.core.Vertx;
import java.time.InstantSource;

/**
 * The settings of a storage for rosters. Safe to print.
 *
 * @param vertx for storages that need timers or workers
 * @param clock the time of day, for operators; rules use it only to limit how often repeated
 *     requests of a member are stored
 * @param gateway this gateway's node name
 * @param options the options that the storage of the same name declares
 */
public record RosterSettings(Vertx vertx, InstantSource clock, String gateway, OptionValues options) {}
