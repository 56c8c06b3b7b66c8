#ifndef LIST_H
#define LIST_H

#include <stddef.h>

struct list {
    int *items;
    size_t used;
    size_t room;
};

int list_add(struct list *list, int item);
void list_free(struct list *list);

#endif
