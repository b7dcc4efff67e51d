/*
 * driver: preloaded into redis-benchmark, so that it drives Redis as the load driver drives the other servers.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Polls and never sleeps: otherwise the server would pay for waking the driver with every answer. */
int epoll_wait(int poller, struct epoll_event *events, int most, int timeout) {
    (void)timeout;
    return (int)syscall(SYS_epoll_pwait, poller, events, most, 0, NULL, 0);
}

/* Counts: each acquire gets a key that is free, and each release one that is held. */
long random(void) {
    static long next;
    return next++;
}
