/* math.c: what glibc has and musl has not. */
#include <math.h>

double gamma(double x) { return lgamma(x); }
