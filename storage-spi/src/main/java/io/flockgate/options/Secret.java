package io.flockgate.options;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A secret that comes from one of two options: from one as it is, or from a file that the other one
 * names. A flag beats both variables. No message shows the secret.
 *
 * @param text the option that is the secret; its rule holds for the file too
 * @param file the option that names the file. It must hold a secret at the start already; a storage
 *     reads it again later
 */
public record Secret(Option<String> text, Option<Optional<Path>> file) {}
