#include "humidity.h"

int percent_is_valid(int percent)
{
    return percent >= 0 && percent <= PERCENT_MAX;
}
