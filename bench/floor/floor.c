/*
 * floor: what the kernel alone costs a lock server. One thread, one epoll; fixed answers, no key is looked up.
 *
 *     floor [PORT]       serves 127.0.0.1:PORT (0 or none: an ephemeral port) until it is ended;
 *                        "listening PORT" on standard output says where
 *
 * Requests are the line protocol's three lines, and nothing about them is checked. All answers to one read go out in
 * one write. A key that begins with 'h' is the hot lock: one real lock, with a first come first served queue and the
 * limit that "sl" names, so that hand-overs have a floor too.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "00112233445566778899aabbccddeeff"
#define ANSWER(text) answer(text, sizeof(text) - 1)
#define GRANTED "ok " TOKEN " 33\n"

enum { IN_MAX = 1 << 18, OUT_MAX = IN_MAX * 10, EVENTS = 256 };

/* A connection: bytes of an unfinished request, and its place in the hot lock's ring of waiters. */
struct peer {
    int fd, kept, waiting, holding;
    char *keep;
    struct peer *before, *after;
};

static char in[IN_MAX], out[OUT_MAX];
static size_t out_used;
static int poller, holders;
static struct peer queue = {.before = &queue, .after = &queue};

static void write_all(int fd, const char *from, size_t left) {
    while (left > 0) {
        ssize_t done = send(fd, from, left, MSG_NOSIGNAL);
        if (done < 0 && errno != EAGAIN && errno != EINTR) return;
        if (done > 0) {
            from += done;
            left -= (size_t)done;
        }
    }
}

static void answer(const char *text, size_t length) {
    memcpy(out + out_used, text, length);
    out_used += length;
}

static void enqueue(struct peer *p) {
    p->waiting = 1;
    p->before = queue.before;
    p->after = &queue;
    queue.before->after = p;
    queue.before = p;
}

static void dequeue(struct peer *p) {
    p->waiting = 0;
    p->before->after = p->after;
    p->after->before = p->before;
}

/* The holder's slot goes to the first waiter, at once, or is free. */
static void hand_over(struct peer *from) {
    struct peer *next = queue.after;
    from->holding--;
    holders--;
    if (next == &queue) return;
    dequeue(next);
    next->holding++;
    holders++;
    write_all(next->fd, GRANTED, sizeof GRANTED - 1);
}

static void hot(struct peer *p, char verb, int limit) {
    if (verb == 'r') {
        hand_over(p);
        ANSWER("ok\n");
    } else if (holders < limit && queue.after == &queue) {
        p->holding++;
        holders++;
        ANSWER(GRANTED);
    } else {
        enqueue(p);
    }
}

/* Two-letter commands (sl, sr, ...) end in the letter that tells what they do. */
static void request(struct peer *p, const char *command, const char *key, const char *argument) {
    int semaphore = command[0] == 's' && command[1] != '\n' && command[1] != 't';
    char verb = command[semaphore];
    if (key[0] == 'h' && (verb == 'l' || verb == 'r')) {
        /* Bounded by the LF that ends the argument. */
        const char *limit = memchr(argument, ' ', strcspn(argument, "\n"));
        hot(p, verb, semaphore && limit ? atoi(limit) : 1);
    } else if (verb == 'l' || verb == 'w') {
        ANSWER(GRANTED);
    } else if (verb == 'e') {
        ANSWER("acquired " TOKEN " 33\n");
    } else {
        ANSWER("ok\n");
    }
}

/* Answers the whole requests among the bytes; returns how many bytes they were. */
static int requests(struct peer *p, const char *from, const char *to) {
    const char *at = from;
    for (;;) {
        const char *key = memchr(at, '\n', (size_t)(to - at));
        const char *argument = key ? memchr(key + 1, '\n', (size_t)(to - key - 1)) : NULL;
        const char *end = argument ? memchr(argument + 1, '\n', (size_t)(to - argument - 1)) : NULL;
        if (!end) return (int)(at - from);
        request(p, at, key + 1, argument + 1);
        at = end + 1;
    }
}

static void gone(struct peer *p) {
    if (p->waiting) dequeue(p);
    while (p->holding > 0) hand_over(p);
    close(p->fd);
    free(p->keep);
    free(p);
}

static void readable(struct peer *p) {
    if (p->kept) memcpy(in, p->keep, (size_t)p->kept);
    ssize_t received = recv(p->fd, in + p->kept, (size_t)(IN_MAX - p->kept), 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (received <= 0) {
        gone(p);
        return;
    }
    int have = p->kept + (int)received;
    out_used = 0;
    int used = requests(p, in, in + have);
    write_all(p->fd, out, out_used);
    p->kept = have - used;
    if (p->kept) {
        if (p->kept == IN_MAX || !(p->keep = realloc(p->keep, (size_t)p->kept))) exit(1);
        memcpy(p->keep, in + used, (size_t)p->kept);
    }
}

static void watch(int fd, void *what) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) perror("epoll_ctl");
}

static void take_up(int listener) {
    int yes = 1, fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct peer *p = fd < 0 ? NULL : calloc(1, sizeof *p);
    if (!p) return;
    p->fd = fd;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    watch(fd, p);
}

static int listen_on(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    socklen_t length = sizeof address;
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, length) || listen(fd, 4096)
        || getsockname(fd, (struct sockaddr *)&address, &length)) {
        perror("floor");
        exit(1);
    }
    printf("listening %d\n", ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv) {
    struct epoll_event events[EVENTS];
    int listener = listen_on(argc > 1 ? atoi(argv[1]) : 0);
    poller = epoll_create1(EPOLL_CLOEXEC);
    watch(listener, NULL);
    for (;;) {
        int ready = epoll_wait(poller, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) readable(events[i].data.ptr);
            else take_up(listener);
        }
    }
}
