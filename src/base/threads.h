/* threads.h - who am I in an OpenMP team, also where there is no OpenMP. */
#ifndef WSI_THREADS_H
#define WSI_THREADS_H

#ifdef _OPENMP
#include <omp.h>
static inline int wsi_thread_rank(void) { return omp_get_thread_num(); }
static inline int wsi_team_size(void) { return omp_get_num_threads(); }
#else
static inline int wsi_thread_rank(void) { return 0; }
static inline int wsi_team_size(void) { return 1; }
#endif

#endif
