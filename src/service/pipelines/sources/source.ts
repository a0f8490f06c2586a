import * as z from 'zod';
import { pipelineConfigs, type PipelineConfig, type PipelineTypeName } from '#contract/pipeline-types.ts';
import type { TopicFilter } from '#contract/topic-filter.ts';
import type { MqttRouting } from '../../mqtt/mqtt-routing.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { ConnectionFault } from '../connections/keep-connected.ts';
import type { Message, MessageOutcome } from '../formats/message.ts';
import type { Origin } from '../../devices/sender.ts';

/** What a source is opened with. */
export type SourceContext<C> = {
  readonly config: C;
  /** Seconds. */
  readonly interval: number;
  readonly pipeline: { readonly id: string; readonly name: string };
  /** For a test: the source calls `report` or submits a message if it works, and leaves nothing behind. */
  readonly isTrial?: boolean;
  /** Resolves when the previous source has closed. */
  readonly previousClosed: Promise<void>;
  /** Whether this process may connect to the source now. */
  mayConnect(): boolean;
  readonly outbound: Outbound;
  /** Aborts a running poll when the source closes. */
  readonly signal: AbortSignal;
  readonly broker: MqttRouting;
  readonly dataDir: string;
  /** Topics that messages of the pipeline name, besides those of its config. `watch` returns a function that ends it. */
  readonly discoveredTopics: {
    /** Whether the pipeline has not learned anything yet. */
    readonly isEmpty: boolean;
    list(): string[];
    watch(listener: (topic: string, isKnown: boolean) => void): () => void;
  };
  /**
   * Called when a connection begins, with what publishes a message. Returns a function for its end. What was known from
   * an earlier connection is forgotten.
   */
  followSparkplug(publish: (topic: string, bytes: Uint8Array) => void): () => void;
  /** Submits a message. Resolves after it is on disk. `origin` defaults to the pipeline. */
  submit(message: Message, origin?: Origin): Promise<MessageOutcome>;
  /** Reports a fault; undefined: the source works again. */
  report(fault: ConnectionFault | undefined): void;
};

/** An open source. */
export type OpenSource = {
  /** Receives a message from a client of the API. Sources without it do not accept such messages. */
  receive?(message: Message, origin: Origin): Promise<MessageOutcome>;
  /** Stops receiving messages immediately. Resolves when current messages are done. */
  close(): void | Promise<void>;
};

type Described<T extends PipelineTypeName> = {
  type: T;
  label: string;
  description: string;
  /** Clients of the API send it messages: its open source has `receive`. */
  acceptsMessages?: true;
  /**
   * Whether each process opens the source, because its messages arrive at the process. Otherwise the holder of the
   * lease does.
   */
  isLocal?(config: PipelineConfig<T>): boolean;
  /** For sources with topics: the field of the config with the filter, and how a topic is matched. */
  topics?: { field: keyof PipelineConfig<T> & string; filter(pattern: string): TopicFilter };
};

/**
 * A type of pipeline: one file in `sources/`, with the schema of its config in the contract. `open` of a pushed source
 * takes effect immediately, so that a restart loses no message in between.
 */
export type SourceDefinition<T extends PipelineTypeName> =
  | (Described<T> & { kind: 'pushed'; open(context: SourceContext<PipelineConfig<T>>): OpenSource })
  | (Described<T> & {
      kind: 'polled';
      /** Returns the function that polls once. It throws if the poll fails. */
      open(context: SourceContext<PipelineConfig<T>>): () => Promise<void>;
    });

/** A source that validates its config when it opens. */
export type Source = {
  type: PipelineTypeName;
  label: string;
  description: string;
  kind: 'polled' | 'pushed';
  /** Clients of the API send it messages. */
  acceptsMessages: boolean;
  /** Whether each process opens the source. Otherwise the holder of the lease does. */
  isLocal(config: unknown): boolean;
  config: z.ZodObject;
  /** The field of the config with the topic filter; null: the source has no topics. */
  topicField: string | null;
  /** The topic filter of a config as text; undefined if the source has no topics, or the config no filter. */
  topicPattern(config: Readonly<Record<string, unknown>>): string | undefined;
  /** The topic filter of a config; undefined if the source has no topics, or the config no filter. */
  topicFilter(config: Readonly<Record<string, unknown>>): TopicFilter | undefined;
  open:
    | { kind: 'pushed'; start(context: SourceContext<unknown>): OpenSource }
    | { kind: 'polled'; start(context: SourceContext<unknown>): () => Promise<void> };
};

/** Connects a source to the schema of its type in the contract. */
export const source = <T extends PipelineTypeName>(definition: SourceDefinition<T>): Source => {
  const {
    type,
    label,
    description,
    kind,
    acceptsMessages = false,
    isLocal = () => false,
    topics,
  } = definition;
  const config: z.ZodObject = pipelineConfigs[type];
  // The cast is safe: the schema of T has parsed the config of T.
  const parse = (given: unknown) => config.parse(given) as PipelineConfig<T>;
  const typed = (context: SourceContext<unknown>) => ({ ...context, config: parse(context.config) });
  const topicPattern: Source['topicPattern'] = (given) => {
    if (topics === undefined) return undefined;
    const pattern = z.safeParse(config.shape[topics.field], given[topics.field]).data;
    return typeof pattern === 'string' ? pattern : undefined;
  };
  return {
    type,
    label,
    description,
    kind,
    acceptsMessages,
    isLocal: (given) => isLocal(parse(given)),
    config,
    topicField: topics?.field ?? null,
    topicPattern,
    topicFilter: (given) => {
      const pattern = topicPattern(given);
      return pattern === undefined ? undefined : topics?.filter(pattern);
    },
    open:
      definition.kind === 'pushed'
        ? { kind: 'pushed', start: (context) => definition.open(typed(context)) }
        : { kind: 'polled', start: (context) => definition.open(typed(context)) },
  };
};
