import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  type Consumer,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { PipelineConfig } from '#contract/pipeline-types.ts';
import { portOf } from '../../platform/outbound/address-rules.ts';
import { OutboundFailure } from '../../platform/outbound/outbound-failure.ts';
import { createInFlightWindow } from './in-flight-window.ts';
import { FatalFault } from '../connections/keep-connected.ts';
import { raceAbort } from '../connections/race-abort.ts';
import {
  connectToNats,
  isNatsRejection,
  describeNatsError,
  type NatsAccess,
} from '../connections/nats-connection.ts';
import type { SourceContext } from './source.ts';
import { subjectFilter } from './subject-filter.ts';

type Context = SourceContext<PipelineConfig<'nats'>>;

const CLOSE_WITHIN_MS = 2_000;
/** How long the server waits for an acknowledgement before it redelivers a message. */
const ACK_WITHIN_MS = 60_000;
const AGAIN_AFTER_MS = 5_000;
/** How long the server keeps the consumer after a test. */
const TRIAL_LIVES_MS = 1_000;
const MAX_UNACKNOWLEDGED = 1_000;
const MESSAGES_PER_PULL = 500;

const faultOf = (error: unknown, host: string, access: NatsAccess): Error => {
  if (isNatsRejection(error)) {
    const { token, username } = access;
    const field = token !== undefined ? 'token' : username === undefined ? 'username' : 'password';
    return new FatalFault(`${host} rejected the credentials.`, field);
  }
  return new Error(`${host}: ${describeNatsError(error, access)}.`);
};

/**
 * The consumer of the pipeline. It is durable, so that the server keeps its position; a new one starts with new
 * messages. The consumer of a test is deleted soon after its connection ends.
 */
const consumerOf = async (
  connection: NatsConnection,
  { config, pipeline, isTrial }: Context,
): Promise<Consumer> => {
  const manager = await jetstreamManager(connection);
  const stream =
    config.stream ??
    (await manager.streams.find(config.subject).catch((error: unknown) => {
      throw new Error(`no stream stores ${config.subject}. Create a stream for it`, { cause: error });
    }));
  if (isTrial === true) {
    const { name } = await manager.consumers.add(stream, {
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.New,
      filter_subject: config.subject,
      inactive_threshold: nanos(TRIAL_LIVES_MS),
      mem_storage: true,
    });
    return jetstream(connection).consumers.get(stream, name);
  }
  const name = `penstock-${pipeline.id}`;
  const known = await manager.consumers.info(stream, name).catch(() => undefined);
  const isOther = known !== undefined && known.config.filter_subject !== config.subject;
  if (isOther) await manager.consumers.delete(stream, name);
  if (known === undefined || isOther)
    await manager.consumers.add(stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.New,
      filter_subject: config.subject,
      ack_wait: nanos(ACK_WITHIN_MS),
      max_ack_pending: MAX_UNACKNOWLEDGED,
    });
  return jetstream(connection).consumers.get(stream, name);
};

/** Runs one connection, until `signal` aborts. @throws an error that says why the connection ended */
export const consumeNatsMessages = async (
  context: Context,
  signal: AbortSignal,
  onUp: () => void,
): Promise<void> => {
  const { config, outbound, submit } = context;
  const url = new URL(config.url);
  const host = `${url.hostname}:${portOf(url)}`;
  const match = subjectFilter(config.subject);
  const connection = await connectToNats({ outbound, url, access: config }, signal).catch(
    (error: unknown) => {
      throw error instanceof OutboundFailure ? error : faultOf(error, host, config);
    },
  );
  const inFlight = createInFlightWindow(submit, signal, { retry: 'once' });
  const give = async (message: JsMsg): Promise<void> => {
    try {
      const bytes = message.data;
      const device = match(message.subject)?.level ?? config.device;
      await inFlight.submit({ bytes, topic: message.subject, device });
      message.ack();
    } catch {
      // The health of the pipeline already shows why: the store is overloaded or full.
      message.nak(AGAIN_AFTER_MS);
    }
  };
  try {
    const consumer = await raceAbort(consumerOf(connection, context), signal);
    const messages = await consumer.consume({
      max_messages: MESSAGES_PER_PULL,
      abort_on_missing_resource: true,
    });
    onUp();
    const stop = () => messages.stop();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    for await (const message of messages) {
      if (signal.aborted) break;
      void give(message);
      await inFlight.room();
    }
    if (signal.aborted) return;
    const error = connection.isClosed() ? await connection.closed() : undefined;
    throw (
      error ??
      new Error(connection.isClosed() ? 'the server closed the connection' : 'the consumer was deleted')
    );
  } catch (error) {
    throw faultOf(error, host, config);
  } finally {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS));
    await Promise.race([inFlight.settled().then(() => connection.flush()), timeout]).catch(() => undefined);
    await connection.close().catch(() => undefined);
  }
};
