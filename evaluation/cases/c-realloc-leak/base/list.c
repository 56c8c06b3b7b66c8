#include "list.h"

#include <stdlib.h>

int list_add(struct list *list, int item)
{
    if (list->used == list->room) {
        size_t room = list->room ? list->room * 2 : 8;
        int *items = realloc(list->items, room * sizeof *items);

        if (!items)
            abort();
        list->items = items;
        list->room = room;
    }
    list->items[list->used++] = item;
    return 0;
}

void list_free(struct list *list)
{
    free(list->items);
    list->items = NULL;
    list->used = list->room = 0;
}
