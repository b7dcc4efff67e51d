package io.flockgate.options;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A secret that comes from one of two options: one contains the secret itself, the other names a
 * file. A flag takes precedence over both variables. No message shows the secret.
 *
 * @param text the option that is the secret; its rule applies to the file too
 * @param file the option that names the file. It must contain a secret at start-up already; a
 *     storage reads it again later
 */
public record Secret(Option<String> text, Option<Optional<Path>> file) {}
