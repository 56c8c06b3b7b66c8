#ifndef HUMIDITY_H
#define HUMIDITY_H

#include <stddef.h>

#define PERCENT_MAX 100

int percent_is_valid(int percent);

#endif
