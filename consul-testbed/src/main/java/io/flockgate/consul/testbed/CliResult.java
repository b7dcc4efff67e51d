package io.flockgate.consul.testbed;

/**
 * The result of a command.
 *
 * @param exitCode above 128 if a signal ended it
 * @param output standard output and standard error as they came
 */
public record CliResult(int exitCode, String output) {}
