#include <stdio.h>

#include "list.h"

int main(void)
{
    struct list list = {0};

    for (int number = 0; number < 100; number++) {
        if (list_add(&list, number) != 0) {
            fprintf(stderr, "kept %zu numbers, last %d\n", list.used, list.items[list.used - 1]);
            break;
        }
    }
    list_free(&list);
    return 0;
}
