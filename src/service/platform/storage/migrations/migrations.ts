import type { Migration } from 'kysely/migration';
import { foundation } from './0001-foundation.ts';
import { replay } from './0002-replay.ts';
import { destinations } from './0003-destinations.ts';
import { wholeMessages } from './0004-whole-messages.ts';
import { skippedAndOverwritten } from './0005-skipped-and-overwritten.ts';
import { unroutedMessages } from './0006-unrouted-messages.ts';
import { overwrites } from './0007-overwrites.ts';
import { equalRejections } from './0008-equal-rejections.ts';
import { throughput } from './0009-throughput.ts';
import { stateReasons } from './0010-state-reasons.ts';
import { acceptedPerMinute } from './0011-accepted-per-minute.ts';
import { naturalOrder } from './0012-natural-order.ts';
import { deviceFacets } from './0013-device-facets.ts';
import { wholeMessageSizes } from './0014-whole-message-sizes.ts';
import { rejectedDevices } from './0015-rejected-devices.ts';
import { deviceNotes } from './0016-device-notes.ts';
import { webhookDigests } from './0017-webhook-digests.ts';
import { rejectionsByDevice } from './0018-rejections-by-device.ts';
import { metricSettings } from './0019-metric-settings.ts';
import { throughputByHour } from './0020-throughput-by-hour.ts';
import { deliveryStates } from './0021-delivery-states.ts';
import { tagsInOrder } from './0022-tags-in-order.ts';
import { refusedKeys } from './0023-refused-keys.ts';
import { allowedNetworks } from './0024-allowed-networks.ts';
import { leases } from './0025-leases.ts';
import { rejectionSenders } from './0026-rejection-senders.ts';
import { facetSizes } from './0027-facet-sizes.ts';
import { searchInOrder } from './0028-search-in-order.ts';
import { tagsLeadToRows } from './0029-tags-lead-to-rows.ts';

/**
 * All versions of the schema, oldest first. Released versions are never edited.
 * Migrations are independent of the dialect: they use the builder of kysely, and types of both SQLite and PostgreSQL.
 */
export const migrations: Record<string, Migration> = {
  '0001-foundation': foundation,
  '0002-replay': replay,
  '0003-destinations': destinations,
  '0004-whole-messages': wholeMessages,
  '0005-skipped-and-overwritten': skippedAndOverwritten,
  '0006-unrouted-messages': unroutedMessages,
  '0007-overwrites': overwrites,
  '0008-equal-rejections': equalRejections,
  '0009-throughput': throughput,
  '0010-state-reasons': stateReasons,
  '0011-accepted-per-minute': acceptedPerMinute,
  '0012-natural-order': naturalOrder,
  '0013-device-facets': deviceFacets,
  '0014-whole-message-sizes': wholeMessageSizes,
  '0015-rejected-devices': rejectedDevices,
  '0016-device-notes': deviceNotes,
  '0017-webhook-digests': webhookDigests,
  '0018-rejections-by-device': rejectionsByDevice,
  '0019-metric-settings': metricSettings,
  '0020-throughput-by-hour': throughputByHour,
  '0021-delivery-states': deliveryStates,
  '0022-tags-in-order': tagsInOrder,
  '0023-refused-keys': refusedKeys,
  '0024-allowed-networks': allowedNetworks,
  '0025-leases': leases,
  '0026-rejection-senders': rejectionSenders,
  '0027-facet-sizes': facetSizes,
  '0028-search-in-order': searchInOrder,
  '0029-tags-lead-to-rows': tagsLeadToRows,
};

/** The first migration of a database that only a newer version of Penstock has. */
export const findNewerMigration = (executed: readonly string[]): string | undefined =>
  executed.find((name) => !(name in migrations));
