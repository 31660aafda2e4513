/* read.c - samples of a recording that is open: guards what readers do. */
#include "io/read/read.h"

#include "base/status.h"
#include "io/decode/decoder.h"
#include "io/read/beside.h"

ws_status
wsi_recording_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
                   double *out)
{
	const size_t epochs = rec->epochs ? rec->epochs : 1;
	if (epoch >= epochs || channel >= rec->n_channels)
		return WSI_FAIL(WS_E_ARG, "%s: epoch %zu, channel %zu wanted of %zu epochs, "
		                "%zu channels", rec->path, epoch + 1, channel + 1, epochs,
		                rec->n_channels);
	const wsi_channel *c = &rec->channels[channel];
	if (first > c->samples || count > c->samples - first)
		return WSI_FAIL(WS_E_ARG, "%s: %zu samples from sample %zu wanted of the "
		                "%zu of channel %zu (%s)", rec->path, count, first, c->samples,
		                channel + 1, c->name);
	WSI_TRY(wsi_channel_check(rec, channel));
	if (count == 0)
		return WS_OK;
	if (rec->beside)
		return wsi_beside_read(rec, epoch, channel, first, count, out);
	return rec->decoder ? wsi_decoder_read(rec->decoder, epoch, channel, first, count,
	                                       c->samples, out)
	                    : rec->reader->read(rec, epoch, channel, first, count, out);
}
