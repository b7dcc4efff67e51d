package io.flockgate.gateway.rest;

/** The operations that the routes of locks and those of semaphores share. */
public enum LockOperation {
    ACQUIRE,
    ENQUEUE,
    WAIT,
    RELEASE,
    RENEW
}
