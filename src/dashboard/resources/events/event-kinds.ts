/**
 * Every kind of event in plain words. `kind` names it where one filters, within its group. `verb` stands between
 * who did it and whom it concerns: “Ada” “registered” “Boiler 7”. `alone` follows the subject where nobody did it.
 */
type Kind = { type: string; kind: string; verb: string; alone: string };

const kind = (type: string, kind: string, verb: string, alone: string): Kind => ({ type, kind, verb, alone });

export const eventGroups: readonly { group: string; kinds: readonly Kind[] }[] = [
  {
    group: 'Devices',
    kinds: [
      kind('device.registered', 'Registered', 'registered', 'was registered'),
      kind('device.updated', 'Updated', 'updated', 'was updated'),
      kind('device.deleted', 'Deleted', 'deleted', 'was deleted'),
      kind('device.restored', 'Restored', 'restored', 'was restored'),
      kind('device.online', 'Came online', 'brought online', 'came online'),
      kind('device.late', 'Became late', 'made late', 'became late'),
      kind('device.offline', 'Went offline', 'took offline', 'went offline'),
      kind('telemetry.deleted', 'Telemetry deleted', 'deleted telemetry of', 'had telemetry deleted'),
      kind('telemetry.loss-accepted', 'Loss accepted', 'accepted the loss of', 'was accepted as lost'),
      kind('mqtt.refused', 'Rejected over MQTT', 'was rejected over MQTT as', 'was rejected over MQTT'),
    ],
  },
  {
    group: 'Pipelines',
    kinds: [
      kind('pipeline.created', 'Created', 'created the pipeline', 'was created'),
      kind('pipeline.updated', 'Updated', 'updated the pipeline', 'was updated'),
      kind('pipeline.deleted', 'Deleted', 'deleted the pipeline', 'was deleted'),
      kind('pipeline.state-changed', 'State changed', 'changed the state of', 'changed state'),
      kind('pipeline.replayed', 'Replayed', 'replayed rejections of', 'had rejections replayed'),
      kind(
        'unrouted.deleted',
        'Unrouted messages deleted',
        'deleted unrouted messages of',
        'had unrouted messages deleted',
      ),
    ],
  },
  {
    group: 'Destinations',
    kinds: [
      kind('destination.created', 'Created', 'created the destination', 'was created'),
      kind('destination.updated', 'Updated', 'updated the destination', 'was updated'),
      kind('destination.deleted', 'Deleted', 'deleted the destination', 'was deleted'),
      kind(
        'destination.state-changed',
        'State changed',
        'changed the state of the destination',
        'changed state',
      ),
    ],
  },
  {
    group: 'API keys',
    kinds: [
      kind('api-key.created', 'Created', 'created the API key', 'was created'),
      kind('api-key.updated', 'Renamed', 'renamed the API key', 'was renamed'),
      kind('api-key.rotated', 'Rotated', 'rotated the API key', 'was rotated'),
      kind('api-key.revoked', 'Revoked', 'revoked the API key', 'was revoked'),
      kind('api-key.expiring', 'About to expire', 'expired the API key', 'expires'),
    ],
  },
  {
    group: 'Webhooks',
    kinds: [
      kind('webhook.created', 'Created', 'created the webhook', 'was created'),
      kind('webhook.updated', 'Updated', 'updated the webhook', 'was updated'),
      kind('webhook.deleted', 'Deleted', 'deleted the webhook', 'was deleted'),
      kind(
        'webhook.rotated',
        'Secret rotated',
        'rotated the secret of the webhook',
        'had its secret rotated',
      ),
      kind('webhook.state-changed', 'State changed', 'changed the state of the webhook', 'changed state'),
    ],
  },
  {
    group: 'Sessions',
    kinds: [
      kind('session.opened', 'Signed in', 'signed in', 'signed in'),
      kind('session.closed', 'Signed out', 'signed out', 'signed out'),
      kind('session.refused', 'Sign-in rejected', 'was rejected', 'was rejected'),
    ],
  },
  {
    group: 'Service',
    kinds: [kind('service.clock-jumped', 'Clock jumped', 'set', 'jumped')],
  },
];

const kinds = new Map(
  eventGroups.flatMap(({ group, kinds }) => kinds.map((each) => [each.type, { ...each, group }])),
);

/** The words of a kind; a newer service may tell of kinds that this page has none for. */
export const kindOf = (type: string): Kind & { group: string } => {
  const known = kinds.get(type);
  if (known !== undefined) return known;
  const [what = type, happened = 'updated'] = type.split('.');
  const words = happened.replaceAll('-', ' ');
  return { type, group: what.replaceAll('-', ' '), kind: words, verb: words, alone: `was ${words}` };
};
