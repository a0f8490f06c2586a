import * as z from 'zod';
import { pipelineConfigs, type PipelineConfig, type PipelineTypeName } from '#contract/pipeline-types.ts';
import type { MqttRouting } from '../../mqtt/mqtt-routing.ts';
import type { TopicFilter } from '../../mqtt/topic-filter.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { TelemetryStore } from '../../telemetry/store/telemetry-store.ts';
import type { ConnectionFault } from '../connections/keep-connected.ts';
import type { Message, MessageOutcome } from '../formats/message.ts';
import type { Origin } from '../../devices/sender.ts';

/** What a source works with. */
export type SourceContext<C> = {
  readonly config: C;
  /** Seconds. */
  readonly interval: number;
  readonly pipeline: { readonly id: string; readonly name: string };
  /** Only tried: it says by `report` or a first message that it works, and leaves nothing behind elsewhere. */
  readonly isTrial?: boolean;
  /** Resolves when the source that this one replaces has closed. */
  readonly previousClosed: Promise<void>;
  readonly outbound: Outbound;
  /** Ends a poll that is under way when the source closes. */
  readonly signal: AbortSignal;
  readonly broker: MqttRouting;
  readonly telemetry: TelemetryStore;
  readonly dataDir: string;
  /** Hands a message over; resolves after it is on disk. Without an origin it is the pipeline's own. */
  take(message: Message, origin?: Origin): Promise<MessageOutcome>;
  /** Says what keeps it from working; undefined: nothing any more. */
  report(fault: ConnectionFault | undefined): void;
};

/** What an open source pushes by itself, or is handed by the service. */
export type OpenSource = {
  /** Takes a message that a client of the API sent. Where it is missing the source takes none. */
  receive?(message: Message, origin: Origin): Promise<MessageOutcome>;
  /** Stops taking messages at once; resolves when what was under way is done. */
  close(): void | Promise<void>;
};

type Described<T extends PipelineTypeName> = {
  type: T;
  label: string;
  description: string;
  /** Where messages come on topics: the field of the config that says on which, and how a topic is matched with it. */
  topics?: { field: keyof PipelineConfig<T> & string; filter(pattern: string): TopicFilter };
};

/**
 * A type of pipeline: one file in `sources/`, its config in the contract. `open` of a pushed source takes effect at
 * once, so that a restart loses nothing between two of them.
 */
export type SourceDefinition<T extends PipelineTypeName> =
  | (Described<T> & { kind: 'pushed'; open(context: SourceContext<PipelineConfig<T>>): OpenSource })
  | (Described<T> & {
      kind: 'polled';
      /** Gives what one poll does. It throws where it cannot. */
      open(context: SourceContext<PipelineConfig<T>>): () => Promise<void>;
    });

/** A source whose config is checked when it opens. */
export type Source = {
  type: PipelineTypeName;
  label: string;
  description: string;
  kind: 'polled' | 'pushed';
  config: z.ZodObject;
  /** The field of the config that says on which topics its messages come; null: they come on none. */
  topicField: string | null;
  /** By what of a config it matches topics; undefined where it takes messages without, or the config does not say. */
  topicFilter(config: Readonly<Record<string, unknown>>): TopicFilter | undefined;
  open:
    | { kind: 'pushed'; start(context: SourceContext<unknown>): OpenSource }
    | { kind: 'polled'; start(context: SourceContext<unknown>): () => Promise<void> };
};

/** Ties a source to the config of its type in the contract. */
export const source = <T extends PipelineTypeName>(definition: SourceDefinition<T>): Source => {
  const { type, label, description, kind, topics } = definition;
  const config: z.ZodObject = pipelineConfigs[type];
  // The one place where generic parts meet: what T's schema parsed is T's config.
  const typed = (context: SourceContext<unknown>) => ({
    ...context,
    config: config.parse(context.config) as PipelineConfig<T>,
  });
  return {
    type,
    label,
    description,
    kind,
    config,
    topicField: topics?.field ?? null,
    topicFilter: (given) => {
      if (topics === undefined) return undefined;
      const pattern = z.safeParse(config.shape[topics.field], given[topics.field]).data;
      return typeof pattern === 'string' ? topics.filter(pattern) : undefined;
    },
    open:
      definition.kind === 'pushed'
        ? { kind: 'pushed', start: (context) => definition.open(typed(context)) }
        : { kind: 'polled', start: (context) => definition.open(typed(context)) },
  };
};
