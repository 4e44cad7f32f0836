/* To be preloaded: a machine on which many processes want a processor. */
#include <stdlib.h>

int getloadavg(double loads[], int count)
{
    for (int i = 0; i < count; i++)
        loads[i] = 1000.0;
    return count;
}
