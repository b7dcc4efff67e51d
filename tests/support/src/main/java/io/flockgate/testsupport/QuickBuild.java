package io.flockgate.testsupport;

/** Keeps tests that start programs out of {@code mvn -Pquick}, which sets a property for it. */
final class QuickBuild {
    private QuickBuild() {}

    /**
     * Called before a program starts.
     *
     * @throws AssertionError in the quick build, because the test has none of the tags that
     *     CONTRIBUTING.md lists
     */
    static void refusePrograms() {
        if (Boolean.getBoolean("flockgate.quick")) {
            throw new AssertionError("a test that starts a program needs a tag, for example @Tag(\"process\"): see"
                    + " CONTRIBUTING.md");
        }
    }
}
