#ifndef PERSON_H
#define PERSON_H

struct person {
    char name[64];
};

int person_init(struct person *person, const char *name);
void person_free(struct person *person);

#endif
