#include <stdio.h>

#include "humidity.h"

int main(void)
{
    printf("%d\n", percent_is_valid(55));
    return 0;
}
