/* ref.h - the plain twins of all slots: no tiles, no vectors, one sample
 * after the other.  What the fast kernels must equal bit for bit. */
#ifndef WSI_REF_H
#define WSI_REF_H

#include "ops/ops.h"

const wsi_ops *wsi_ops_ref(ws_type type);

#endif
