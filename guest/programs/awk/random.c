/*
 * random.c: rand() and srand(): the numbers that gawk gives for the same seed.
 *
 * An additive feedback generator over 63 words (x^63 + x + 1), started by the minimal standard
 * generator (16807), whose output is shuffled (Knuth, algorithm B) and run in. Two numbers of 31
 * bits make one result.
 */
#include "random.h"
#include "g_time.h"

#include <math.h>
#include <stdint.h>

enum { WORDS = 63, APART = 1, RUN_IN = 10 * WORDS, SHUFFLED = 512 };
static uint32_t words[WORDS], shuffled[SHUFFLED], last_given;
static int front = APART, rear;
static bool started;
static double last_seed = 1;

static uint32_t feedback(void) {
    words[front] += words[rear];
    uint32_t result = words[front] >> 1;
    front = (front + 1) % WORDS;
    rear = (rear + 1) % WORDS;
    return result;
}

static uint32_t next_31(void) {
    uint32_t *slot = &shuffled[last_given % SHUFFLED];
    last_given = *slot;
    *slot = feedback();
    return last_given;
}

static void start(uint32_t seed) {
    words[0] = seed;
    for (int i = 1; i < WORDS; i++) {
        int64_t x = (int32_t)words[i - 1];
        if (x == 0) x = 123459876;
        x = 16807 * x % 2147483647;
        words[i] = (uint32_t)(x < 0 ? x + 2147483647 : x);
    }
    front = APART;
    rear = 0;
    for (int i = 0; i < SHUFFLED; i++) shuffled[i] = feedback();
    last_given = feedback();
    for (int i = 0; i < RUN_IN; i++) next_31();
    started = true;
}

double random_next(void) {
    if (!started) start(1);
    double n;
    do {
        double low = next_31() / 2147483648.0;
        n = 0.5 + (low + next_31()) / 2147483648.0;
        n -= 0.5;
    } while (n == 1.0);
    return n;
}

double random_seed(bool given, double seed) {
    double before = last_seed;
    last_seed = given ? trunc(seed) : (double)g_now().seconds;
    start((uint32_t)(int64_t)last_seed);
    return before;
}
