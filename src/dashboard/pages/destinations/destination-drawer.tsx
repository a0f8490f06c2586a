import type { Destination, DestinationType } from '#contract/destinations.ts';
import { destinationQueries } from '../../resources/destinations/destination-queries.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { DestinationStateBadge, isBuiltIn } from '../../resources/destinations/destination-state.tsx';
import { paths, withQuery } from '../../paths.ts';
import { schemaFieldsOf } from '../../kit/schema-form/schema-field.ts';
import { SettingValue } from '../../kit/schema-form/setting-value.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { KeyValueList } from '../../ui/layout/key-value-list.tsx';
import { Link } from '../../ui/controls/link.tsx';
import {
  ActivityLink,
  DrawerActions,
  facts,
  ResourceDrawer,
  DrawerSection,
} from '../../kit/resource/resource-drawer.tsx';
import { addressInWords } from './destination-columns.tsx';
import type { DestinationTest } from './use-destination-actions.tsx';
import { PlugZap } from 'lucide-react';
import { useRef } from 'react';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { TestOutcome, TestProgress } from '../../kit/test-outcome.tsx';
import { AllowOffer } from '../../resources/network/allow-offer.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

/** The actions on a destination. */
export type DestinationAction = 'test' | 'edit' | 'delete';

type Props = {
  destinationId: string | null;
  types: readonly DestinationType[];
  test: DestinationTest;
  onAction: (action: DestinationAction, destination: Destination) => void;
  onClose: () => void;
};

/** The details, the test and the actions of one destination. */
export const DestinationDrawer = ({ destinationId, types, test, onAction, onClose }: Props) => {
  const canWrite = useHasScope('pipelines:write');
  const canReadEvents = useHasScope('events:read');
  return (
    <ResourceDrawer
      id={destinationId}
      kind="Destination"
      query={destinationQueries.detail}
      onClose={onClose}
      renderActions={(destination) =>
        canWrite && !isBuiltIn(destination) ? (
          <DrawerActions
            actions={[
              { label: 'Delete…', isDanger: true, onSelect: () => onAction('delete', destination) },
              { label: 'Edit…', onSelect: () => onAction('edit', destination) },
            ]}
          />
        ) : null
      }
    >
      {(destination) => (
        <div className="flex flex-col gap-6">
          <DestinationFacts
            destination={destination}
            type={types.find(({ type }) => type === destination.type)}
          />
          {canWrite ? (
            <TestSection destination={destination} test={test} />
          ) : (
            <p className="text-muted">You need pipelines:write to test or edit a destination.</p>
          )}
          {canReadEvents && !isBuiltIn(destination) && (
            <ActivityLink id={destination.id} kind="destination" />
          )}
        </div>
      )}
    </ResourceDrawer>
  );
};

/** What a state means, if its badge is not enough. */
const stateNotes = {
  healthy: null,
  retrying: 'Samples are queued on disk. Penstock retries automatically.',
  blocked:
    'The destination rejects samples. They are queued on disk. Fix the destination to resume delivery.',
} as const;

/** No sample is queued for a destination that no pipeline uses. */
const stateNote = ({ state, usedBy }: Destination): string | null =>
  state === 'blocked' && usedBy === 0
    ? 'The destination does not work. Fix it before a pipeline delivers to it.'
    : stateNotes[state];

type FactsProps = { destination: Destination; type: DestinationType | undefined };

const DestinationFacts = ({ destination, type }: FactsProps) => {
  const { url, lastDeliveredAt, lastError, createdAt, usedBy, name } = destination;
  const isThis = isBuiltIn(destination);
  return (
    <KeyValueList
      items={[
        facts.state(<DestinationStateBadge destination={destination} />, stateNote(destination)),
        {
          name: 'Type',
          value: (
            <>
              {type?.label ?? destination.type}
              {isThis && <span className="block text-muted">Built in. Cannot be edited or deleted.</span>}
            </>
          ),
        },
        url === null ? { name: 'Address', value: addressInWords(destination) } : facts.address(url),
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
        ...(isThis
          ? []
          : [facts.lastDelivered(lastDeliveredAt), facts.lastError(lastError), facts.created(createdAt)]),
      ]}
    />
  );
};

/** The options that are set; the others have the defaults of the type. */
const optionFacts = ({ options }: Destination, type: DestinationType | undefined) =>
  schemaFieldsOf(type?.optionsSchema ?? {})
    .filter(({ name }) => options[name] !== undefined)
    .map((field) => ({
      name: field.label,
      value: <SettingValue field={field} value={options[field.name]} />,
    }));

type TestSectionProps = { destination: Destination; test: DestinationTest };

const TIMEOUT_S = 15;

/** Tests the connection to a destination. */
const TestSection = ({ destination: { id, state }, test }: TestSectionProps) => {
  const button = useRef<HTMLButtonElement>(null);
  const isThis = test.testedId === id;
  return (
    <DrawerSection
      title="Test"
      help={
        <>
          Connects to the destination and checks that it accepts samples. Sends no samples.
          {state === 'blocked' && ' If the test passes, delivery resumes immediately.'}
        </>
      }
    >
      <Button
        ref={button}
        icon={<PlugZap aria-hidden className="size-4" />}
        busy={isThis && test.isPending}
        onClick={() => test.start(id)}
      >
        Test
      </Button>
      {isThis && (
        <div className="w-full empty:hidden">
          {test.isPending && (
            <TestProgress
              maxSeconds={TIMEOUT_S}
              onCancel={() => {
                test.stop();
                button.current?.focus();
              }}
            >
              Connecting to the destination
            </TestProgress>
          )}
          {test.error !== null && <FormNotice tone="bad">{describeFailedChange(test.error)}</FormNotice>}
          {test.data !== undefined && (
            <div className="flex flex-col gap-4">
              <TestOutcome test={test.data} steps={['destination']} />
              <AllowOffer network={test.data.steps[0]?.allow} onAllowed={() => test.start(id)} />
            </div>
          )}
        </div>
      )}
    </DrawerSection>
  );
};
