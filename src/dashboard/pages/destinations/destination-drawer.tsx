import type { Destination, DestinationType } from '#contract/destinations.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { useMay } from '../../api/session-queries.ts';
import { DestinationStateBadge, isBuiltIn } from '../../resources/destinations/destination-state.tsx';
import { paths, withQuery } from '../../paths.ts';
import { schemaFieldsOf, wordOf } from '../../kit/schema-form/schema-field.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ResourceDrawer } from '../../kit/resource/resource-drawer.tsx';
import { addressInWords } from './destination-columns.tsx';
import { TryDestination } from './try-destination.tsx';
import type { DestinationTest } from './use-destination-acts.tsx';

/** What is done with a destination. */
export type DestinationAct = 'test' | 'edit' | 'delete';

type Props = {
  destinationId: string | null;
  types: readonly DestinationType[];
  test: DestinationTest;
  onAct: (act: DestinationAct, destination: Destination) => void;
  onClose: () => void;
};

/** All that is known of one destination, a test, and what can be done with it. */
export const DestinationDrawer = ({ destinationId, types, test, onAct, onClose }: Props) => {
  const mayWrite = useMay('pipelines:write');
  const mayReadEvents = useMay('events:read');
  return (
    <ResourceDrawer
      id={destinationId}
      kind="Destination"
      query={destinationQueries.detail}
      onClose={onClose}
      renderActions={(destination) =>
        mayWrite && !isBuiltIn(destination) ? <Acts destination={destination} onAct={onAct} /> : null
      }
    >
      {(destination) => (
        <div className="flex flex-col gap-6">
          <DestinationFacts
            destination={destination}
            type={types.find(({ type }) => type === destination.type)}
          />
          {mayWrite ? (
            <TryDestination destination={destination} test={test} />
          ) : (
            <p className="text-muted">You need pipelines:write to test or edit a destination.</p>
          )}
          {mayReadEvents && !isBuiltIn(destination) && (
            <p>
              <Link to={withQuery(paths.activity, { subject: destination.id })}>
                Activity of this destination
              </Link>
            </p>
          )}
        </div>
      )}
    </ResourceDrawer>
  );
};

const Acts = ({ destination, onAct }: { destination: Destination; onAct: Props['onAct'] }) => (
  <>
    <Button look="quiet" className="mr-auto text-bad-text!" onClick={() => onAct('delete', destination)}>
      Delete…
    </Button>
    <Button onClick={() => onAct('edit', destination)}>Edit…</Button>
  </>
);

/** What its state means, where that is not plain. */
const stateNotes = {
  ready: null,
  failing: 'Samples are queued on disk. Penstock retries automatically.',
  failed: 'The destination rejects samples. They are queued on disk. Fix the destination to resume delivery.',
} as const;

type FactsProps = { destination: Destination; type: DestinationType | undefined };

const DestinationFacts = ({ destination, type }: FactsProps) => {
  const { state, url, lastDeliveredAt, lastError, createdAt, usedBy, name } = destination;
  const isOurs = isBuiltIn(destination);
  return (
    <KeyValueList
      items={[
        {
          name: 'State',
          value: (
            <>
              <DestinationStateBadge state={state} />
              {stateNotes[state] !== null && (
                <span className="mt-1 block text-muted">{stateNotes[state]}</span>
              )}
            </>
          ),
        },
        {
          name: 'Type',
          value: (
            <>
              {type?.label ?? destination.type}
              {isOurs && <span className="block text-muted">Built in. Cannot be edited or deleted.</span>}
            </>
          ),
        },
        {
          name: 'Address',
          value:
            url === null ? (
              addressInWords(destination)
            ) : (
              <span className="flex items-start gap-1">
                <span className="min-w-0 flex-1 font-mono text-sm break-all">{url}</span>
                <CopyButton text={url} label="Copy address" className="-my-1.5" />
              </span>
            ),
        },
        ...optionFacts(destination, type),
        {
          name: 'Used by',
          value:
            usedBy === 0 ? (
              <span className="text-faint">No pipelines</span>
            ) : (
              <Link to={withQuery(paths.pipelines, { destination: name })}>{plural(usedBy, 'pipeline')}</Link>
            ),
        },
        ...(isOurs
          ? []
          : [
              {
                name: 'Last delivered',
                value:
                  lastDeliveredAt === null ? (
                    <span className="text-faint">Not yet</span>
                  ) : (
                    <RelativeTime at={lastDeliveredAt} />
                  ),
              },
              {
                name: 'Last error',
                value:
                  lastError === null ? (
                    <span className="text-faint">None</span>
                  ) : (
                    <>
                      {lastError.detail} <RelativeTime at={lastError.at} className="text-muted" />
                    </>
                  ),
              },
              { name: 'Added', value: <RelativeTime at={createdAt} /> },
            ]),
      ]}
    />
  );
};

/** The options that were set; the rest is as its type has it. */
const optionFacts = ({ options }: Destination, type: DestinationType | undefined) =>
  schemaFieldsOf(type?.optionsSchema ?? {})
    .filter(({ name }) => options[name] !== undefined)
    .map(({ name, label, kind }) => ({
      name: label,
      value: (
        <code className="font-mono text-sm break-all">
          {kind === 'secret' ? '***' : wordOf(options[name])}
        </code>
      ),
    }));
