#include "person.h"

#include <stdio.h>

int person_init(struct person *person, const char *name)
{
    snprintf(person->name, sizeof person->name, "%s", name);
    return 0;
}

void person_free(struct person *person)
{
    person->name[0] = '\0';
}
