package io.flockgate.gateway.http;

/** What the routes of locks and those of semaphores do alike. */
enum LockOperation {
    ACQUIRE,
    ENQUEUE,
    WAIT,
    RELEASE,
    RENEW
}
