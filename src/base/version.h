/* version.h - the version of the public header, in words. */
#ifndef WSI_VERSION_H
#define WSI_VERSION_H

#include "wavesift/wavesift.h"

#define WSI_STRING_(x) #x
#define WSI_STRING(x)  WSI_STRING_(x)
#define WSI_VERSION \
	WSI_STRING(WS_VERSION_MAJOR) "." WSI_STRING(WS_VERSION_MINOR) "." \
	WSI_STRING(WS_VERSION_PATCH)

#endif
