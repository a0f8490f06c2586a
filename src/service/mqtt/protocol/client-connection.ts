import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  generate,
  parser as createParser,
  type IConnackPacket,
  type IConnectPacket,
  type IDisconnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type IUnsubscribePacket,
  type Packet,
  type QoS,
} from 'mqtt-packet';
import { ConnectRefused, PublishRefused, type ConnectionHandle, type Grant } from './client-grant.ts';
import { messageOf, publishPacket, type Message } from './mqtt-message.ts';
import { createPacketWriter } from './packet-writer.ts';
import { checkPacket, checkUtf8, isTopicFilter, topicFault } from './packet-rules.ts';
import { createPacketSplitter, PacketTooLarge } from './packet-splitter.ts';
import { isPublish, readPublish } from './read-publish.ts';
import { FIRST_ERROR, ProtocolViolation, REASON, type ReasonCode } from './reason-codes.ts';
import type { Session } from './session.ts';
import { sessionIdOf, type ClientLink, type Sessions } from './sessions.ts';
import { rewriteOf } from './subscription.ts';
import type { Turns } from './turns.ts';

export type ConnectionOptions = {
  readonly sessions: Sessions;
  readonly turns: Turns;
  /** Resolves once sessions and retained messages are on disk. */
  readonly written: () => Promise<void>;
  readonly authenticate: (
    connect: { username: string; password: string },
    handle: ConnectionHandle,
  ) => Promise<Grant>;
  readonly onTooLarge: (bytes: number, limit: number) => void;
  readonly onUnsupportedVersion: () => void;
  readonly onClosed: (error: Error | undefined) => void;
  readonly now: () => number;
  readonly handshakeMs: number;
  /** The reason code for a message that could not be stored. */
  readonly reasonCodeOf: (error: unknown) => ReasonCode;
};

/** The size limits of a message, and of packets before authentication: what follows the fixed header. */
const MAX_MESSAGE_BYTES = 262_144;
const MAX_CONNECT_BYTES = 16_384;
/** The limit of other packets than PUBLISH: a large SUBSCRIBE takes longer to read than a large message. */
const MAX_OTHER_BYTES = 65_536;
/** `MAX_MESSAGE_BYTES` with the fixed header. */
const MAX_PACKET_BYTES = MAX_MESSAGE_BYTES + 4;
const MAX_CLIENT_ID = 1_024;
const MAX_FILTER = 1_024;
/** The limit of QoS 2 messages that a client has not released, and of unacknowledged messages of MQTT 5 clients. */
const RECEIVE_MAXIMUM = 1_000;
const TOPIC_ALIASES = 64;
/** Messages that are being stored. Above this, the broker stops reading from the connection. */
const MAX_STORING = 1_000;
const MAX_STORING_BYTES = 4 * 1_048_576;
/** Other packets whose changes of the session are being written. Above this, the broker stops reading too. */
const MAX_WRITING = 100;
/** Above this many buffered bytes, the broker neither reads from the client nor sends messages of QoS 1 and 2. */
const MAX_WAITING_BYTES = 65_536;
/** The window for clients of MQTT 3.1.1, which cannot state one. */
const WINDOW = 100;
const LARGEST_WINDOW = 65_535;
/** Messages of QoS 0 are dropped while more than this waits for the client. */
const MAX_BUFFERED_BYTES = 1_048_576;
/** The time that a client has to read the last packet. */
const LINGER_MS = 1_000;
/** The longest time that a session is kept without its client. Sessions of MQTT 3.1.1 have this expiry. */
const MAX_EXPIRY_S = 7 * 86_400;

/** The reason codes of MQTT 5 for the return codes of MQTT 3.1.1. */
const CONNACK_CODES = {
  2: REASON.clientIdInvalid,
  3: REASON.serverUnavailable,
  4: REASON.badCredentials,
  5: REASON.notAuthorized,
} as const;

/** A message in the order of its arrival: forwarded and acknowledged after those before it. */
type Step = {
  next: Step | undefined;
  readonly bytes: number;
  readonly qos: QoS;
  readonly messageId: number;
  /** What subscribers receive. */
  message: Message | undefined;
  refusal: PublishRefused | undefined;
  /** `decided`: stored, or refused. `written`: its changes of sessions are on disk too. */
  state: 'new' | 'decided' | 'forwarded' | 'written';
};

/**
 * Serves one client, from CONNECT to the end of its connection. One function, because every packet reads or changes the
 * same state.
 */
export const serveConnection = (stream: Duplex, options: ConnectionOptions) => {
  const { sessions, turns, now } = options;
  const parser = createParser();
  const writer = createPacketWriter(stream, () => {
    if (phase !== 'open') return;
    session?.resume();
    turns.wait(work);
  });
  const aliases = new Map<number, string>();
  /** Messages of QoS 2 that are being stored. */
  const receiving = new Set<number>();
  let phase: 'new' | 'authenticating' | 'open' | 'ended' = 'new';
  let version: 3 | 4 | 5 = 4;
  let grant: Grant | undefined;
  let session: Session | undefined;
  let will: IConnectPacket['will'];
  let expirySeconds = 0;
  let connectExpiry = 0;
  let largestPacket = Number.POSITIVE_INFINITY;
  let wantsReasons = true;
  let keepAlive: NodeJS.Timeout | undefined;
  let storing = 0;
  let storingBytes = 0;
  let writing = 0;
  /** The messages that are being stored, oldest first. */
  let toForward: Step | undefined;
  let toAcknowledge: Step | undefined;
  let last: Step | undefined;

  const splitter = createPacketSplitter((firstByte) => {
    if (phase !== 'open') return MAX_CONNECT_BYTES;
    return isPublish(firstByte) ? MAX_MESSAGE_BYTES : MAX_OTHER_BYTES;
  });
  /** Sends the retained messages of new subscriptions, at most one with each step. */
  let retained: Iterator<unknown>[] = [];
  const isBlocked = (): boolean => stream.writableLength > MAX_WAITING_BYTES;

  const encode = (packet: Packet): Buffer => generate(packet, { protocolVersion: version });

  /** Sends a packet. Returns false if it is larger than the client accepts. */
  const send = (packet: Packet): boolean => {
    let bytes: Buffer;
    try {
      bytes = encode(packet);
    } catch (error) {
      // The error ends this connection, not the connection of the client that sent the message.
      stream.destroy(error as Error);
      return false;
    }
    if (bytes.length > largestPacket) return false;
    writer.write(bytes);
    return true;
  };

  const reasonProperties = (detail: string | undefined) =>
    detail === undefined || !wantsReasons ? {} : { properties: { reasonString: detail } };

  /** PUBACK, PUBREC, PUBREL and PUBCOMP. Success has no reason code, in any version (MQTT 5, 3.4.2.1). */
  const acknowledge = (
    cmd: 'puback' | 'pubrec' | 'pubrel' | 'pubcomp',
    messageId: number,
    code: ReasonCode = REASON.success,
    detail?: string,
  ): void => {
    if (phase !== 'open') return;
    if (code !== REASON.success && version === 5) {
      if (!send({ cmd, messageId, reasonCode: code, ...reasonProperties(detail) }))
        send({ cmd, messageId, reasonCode: code });
      return;
    }
    writer.acknowledge(cmd, messageId);
  };

  const publishWill = (
    { topic, properties, ...rest }: NonNullable<IConnectPacket['will']>,
    by: Grant,
    from: Session | undefined,
  ): void => {
    const { willDelayInterval: delaySeconds = 0, ...forwarded } = properties ?? {};
    const publish = () => {
      try {
        const { stored, forward } = by.accept(messageOf(topic, { ...rest, properties: forwarded }, now()));
        stored.then(() => forward !== undefined && sessions.forward(forward, from)).catch(() => undefined);
      } catch {
        // The client is not allowed to publish the will, or the service is stopping.
      }
      by.closed();
    };
    const delay = Math.min(delaySeconds, expirySeconds);
    if (delay === 0 || from === undefined) publish();
    else sessions.delayWill(from, delay * 1_000, { publish, cancel: by.closed });
  };

  const link: ClientLink = {
    window: WINDOW,
    isBlocked,
    deliver: ({ message, packetId, isDuplicate, identifiers }) =>
      send(publishPacket(message, identifiers, packetId, isDuplicate, { version, nowMs: now() })),
    deliverUnacknowledged: (message, identifiers) => {
      if (message.retain || stream.writableLength <= MAX_BUFFERED_BYTES)
        send(publishPacket(message, identifiers, 0, false, { version, nowMs: now() }));
    },
    release: (packetId) => acknowledge('pubrel', packetId),
    takeOver: () => disconnect(REASON.sessionTakenOver),
  };

  /** Leaves the session. Packets that arrive later are ignored. */
  const leave = (): void => {
    if (phase === 'ended') return;
    phase = 'ended';
    retained = [];
    turns.cancel(work);
    clearTimeout(handshake);
    clearTimeout(keepAlive);
    const [left, by] = [session, grant];
    if (left !== undefined) sessions.detach(left, link, expirySeconds);
    if (will !== undefined && by !== undefined) publishWill(will, by, left);
    else by?.closed();
    will = undefined;
  };

  /**
   * Ends the connection after its last packet. Reads the remaining bytes, because unread bytes would discard the
   * packet.
   */
  const finish = (bytes?: Uint8Array): void => {
    leave();
    writer.flush();
    if (bytes !== undefined && stream.writable) stream.end(bytes);
    else stream.end();
    stream.resume();
    setTimeout(() => stream.destroy(), LINGER_MS).unref();
  };

  const disconnect = (code: ReasonCode, detail?: string): void => {
    if (phase === 'ended') return;
    const hasReason = version === 5 && phase === 'open';
    const packet: IDisconnectPacket = {
      cmd: 'disconnect',
      reasonCode: code,
      ...(detail === undefined ? {} : { properties: { reasonString: detail } }),
    };
    if (hasReason) return finish(encode(packet));
    leave();
    stream.destroy();
  };

  const handshake = setTimeout(() => stream.destroy(), options.handshakeMs);
  handshake.unref();

  const handle: ConnectionHandle = {
    end: (code) => {
      will = undefined;
      if (phase === 'ended' && session !== undefined) sessions.cancelWill(session);
      disconnect(code);
    },
  };

  const acknowledgeStep = ({ qos, messageId, refusal }: Step): void => {
    if (qos > 0) acknowledge(qos === 1 ? 'puback' : 'pubrec', messageId, refusal?.code, refusal?.message);
  };

  /** Forwards a stored message. Returns whether something must be written before its acknowledgement. */
  const forwardStep = ({ qos, messageId, message, refusal }: Step, own: Session): boolean => {
    if (refusal !== undefined) return false;
    if (qos === 2) {
      receiving.delete(messageId);
      own.markReceived(messageId);
      own.stopReceiving(messageId);
    }
    const isSaved = message !== undefined && sessions.forward(message, own);
    return qos > 0 && (isSaved || (qos === 2 && own.isPersistent));
  };

  const advance = (own: Session): void => {
    for (; toForward?.state === 'decided'; toForward = toForward.next) {
      // A message may have thousands of subscribers.
      if (!turns.hasTime()) {
        turns.wait(forwardLater);
        break;
      }
      const step = toForward;
      step.state = forwardStep(step, own) ? 'forwarded' : 'written';
      if (step.state === 'forwarded')
        options.written().then(() => {
          step.state = 'written';
          return advanceOrFail(own);
        }, fail);
    }
    for (; toAcknowledge?.state === 'written'; toAcknowledge = toAcknowledge.next) {
      acknowledgeStep(toAcknowledge);
      storing -= 1;
      storingBytes -= toAcknowledge.bytes;
    }
    if (toAcknowledge === undefined) last = undefined;
    if (stream.isPaused() && phase === 'open') turns.wait(work);
  };

  /** Ends the connection at a message that is not acknowledged. Those after it are not acknowledged either. */
  const end = (code: ReasonCode): void => {
    disconnect(code);
    for (const messageId of receiving) session?.stopReceiving(messageId);
    receiving.clear();
  };

  /** Called when a message could not be stored. The client sends the message again after it has reconnected. */
  const fail = (error: unknown): void => end(options.reasonCodeOf(error));

  const advanceOrFail = (own: Session): void => {
    try {
      advance(own);
    } catch (error) {
      fail(error);
    }
  };
  const forwardLater = (): void => advanceOrFail(session!);

  const refuse = (step: Step, own: Session, error: unknown): void => {
    if (!(error instanceof PublishRefused)) return fail(error);
    if (version !== 5) return end(error.code);
    if (receiving.delete(step.messageId)) own.stopReceiving(step.messageId);
    step.refusal = error;
    step.state = 'decided';
    advance(own);
  };

  const resolveAlias = (packet: IPublishPacket): string => {
    const alias = packet.properties?.topicAlias;
    if (alias === undefined) return packet.topic;
    if (alias < 1 || alias > TOPIC_ALIASES)
      throw new ProtocolViolation(REASON.aliasInvalid, `Topic aliases are from 1 to ${TOPIC_ALIASES}.`);
    if (packet.topic !== '') {
      aliases.set(alias, packet.topic);
      return packet.topic;
    }
    const topic = aliases.get(alias);
    if (topic === undefined)
      throw new ProtocolViolation(REASON.protocolError, `The topic alias ${alias} is unknown.`);
    return topic;
  };

  /** Another connection of the session still stores the message: acknowledges it afterwards, or stores it if that failed. */
  const waitForReceipt = (packet: IPublishPacket, own: Session, messageId: number): void =>
    own.afterReceiving(messageId, () => {
      if (phase === 'open') handlePublish(packet);
    });

  const onPublish = (packet: IPublishPacket, own: Session, by: Grant): void => {
    const { qos, messageId = 0 } = packet;
    const topic = resolveAlias(packet);
    if (qos === 2 && receiving.has(messageId)) return;
    if (qos === 2 && own.isReceiving(messageId)) return waitForReceipt(packet, own, messageId);
    if (qos === 2 && own.hasReceived(messageId)) return acknowledge('pubrec', messageId);
    const step: Step = {
      next: undefined,
      bytes: packet.length ?? 0,
      qos,
      messageId,
      message: undefined,
      refusal: undefined,
      state: 'new',
    };
    if (last === undefined) toAcknowledge = step;
    else last.next = step;
    last = step;
    toForward ??= step;
    storing += 1;
    storingBytes += step.bytes;
    try {
      const fault = topicFault(topic);
      if (fault !== undefined) throw new PublishRefused(REASON.topicInvalid, 'topic-invalid', fault);
      if (qos === 2) {
        if (own.receivedCount + receiving.size >= RECEIVE_MAXIMUM)
          throw new ProtocolViolation(
            REASON.receiveMaximumExceeded,
            `At most ${RECEIVE_MAXIMUM} messages of QoS 2 may be unreleased.`,
          );
        receiving.add(messageId);
        own.startReceiving(messageId);
      }
      const { stored, forward } = by.accept(messageOf(topic, packet, now()));
      step.message = forward;
      stored.then(
        () => {
          step.state = 'decided';
          return advanceOrFail(own);
        },
        (error: unknown) => refuse(step, own, error),
      );
    } catch (error) {
      if (error instanceof ProtocolViolation) throw error;
      refuse(step, own, error);
    }
  };

  const onSubscribe = async (packet: ISubscribePacket, own: Session, by: Grant): Promise<void> => {
    const { subscriptions, messageId = 0, properties } = packet;
    const withRetained: Iterator<unknown>[] = [];
    const granted = subscriptions.map(({ topic: given, qos, nl = false, rap = false, rh = 0 }) => {
      const refusal = (code: ReasonCode) => (version === 5 ? code : FIRST_ERROR);
      if (given.startsWith('$share/')) return refusal(REASON.sharedUnsupported);
      if (!isTopicFilter(given)) return refusal(REASON.filterInvalid);
      const filter = by.resolve(given);
      if (filter === undefined || !isTopicFilter(filter) || !by.canReceive(filter))
        return refusal(REASON.notAuthorized);
      const subscription = {
        filter,
        rewrite: rewriteOf(given, filter),
        qos,
        isNoLocal: nl,
        isRetainAsPublished: rap,
        identifier: properties?.subscriptionIdentifier,
      };
      const isNew = !own.subscriptions.has(given);
      if (given.length > MAX_FILTER || !sessions.subscribe(own, given, subscription))
        return refusal(REASON.quotaExceeded);
      if (rh === 0 || (rh === 1 && isNew)) withRetained.push(sessions.sendRetained(own, subscription));
      return qos;
    });
    if (own.isPersistent) await options.written();
    if (phase !== 'open') return;
    send({ cmd: 'suback', messageId, granted });
    retained.push(...withRetained);
    turns.wait(work);
  };

  const onUnsubscribe = async (packet: IUnsubscribePacket, own: Session): Promise<void> => {
    const { unsubscriptions, messageId = 0 } = packet;
    const granted = unsubscriptions.map((given) =>
      sessions.unsubscribe(own, given) ? REASON.success : REASON.noSubscription,
    );
    if (own.isPersistent) await options.written();
    if (phase === 'open') send({ cmd: 'unsuback', messageId, granted });
  };

  const onPubrel = async (messageId: number, own: Session): Promise<void> => {
    const isKnown = own.forgetReceived(messageId);
    if (isKnown && own.isPersistent) await options.written();
    acknowledge('pubcomp', messageId, isKnown ? REASON.success : REASON.packetIdNotFound);
  };

  const onPubrec = async (messageId: number, code: number, own: Session): Promise<void> => {
    if (code >= FIRST_ERROR) return own.acknowledge(messageId);
    const isKnown = own.markReleased(messageId);
    if (isKnown && own.isPersistent) await options.written();
    acknowledge('pubrel', messageId, isKnown ? REASON.success : REASON.packetIdNotFound);
  };

  const onDisconnect = ({ reasonCode = 0, properties }: IDisconnectPacket): void => {
    const asked = properties?.sessionExpiryInterval;
    if (asked !== undefined && asked > 0 && connectExpiry === 0)
      throw new ProtocolViolation(REASON.protocolError, 'The session has no expiry interval to change.');
    if (asked !== undefined && session?.isPersistent === true) expirySeconds = Math.min(asked, MAX_EXPIRY_S);
    if (reasonCode !== REASON.disconnectWithWill) will = undefined;
    finish();
  };

  const refuseConnect = (returnCode: number, code: ReasonCode, detail: string): void => {
    const refusal: IConnackPacket =
      version === 5
        ? { cmd: 'connack', sessionPresent: false, reasonCode: code, properties: { reasonString: detail } }
        : { cmd: 'connack', sessionPresent: false, returnCode };
    finish(encode(refusal));
  };

  const connect = async (packet: IConnectPacket): Promise<void> => {
    const { clientId, clean = true, keepalive = 0, username = '', password, properties = {} } = packet;
    phase = 'authenticating';
    version = packet.protocolVersion ?? 4;
    if (properties.authenticationMethod !== undefined)
      return refuseConnect(5, REASON.badAuthenticationMethod, 'Connect with an API key as the password.');
    const isUnnamed = clientId === '';
    if (clientId.length > MAX_CLIENT_ID || (isUnnamed && version !== 5 && !clean))
      return refuseConnect(2, REASON.clientIdInvalid, `Use a client ID of 1 to ${MAX_CLIENT_ID} characters.`);
    let by: Grant;
    try {
      by = await options.authenticate({ username, password: password?.toString() ?? '' }, handle);
    } catch (error) {
      if (!(error instanceof ConnectRefused)) throw error;
      return refuseConnect(error.returnCode, CONNACK_CODES[error.returnCode], error.message);
    }
    // The connection was closed meanwhile, or the key was revoked.
    if (phaseNow() === 'ended') return by.closed();
    grant = by;
    clearTimeout(handshake);
    const name = isUnnamed ? `auto-${randomUUID()}` : clientId;
    connectExpiry = version === 5 ? (properties.sessionExpiryInterval ?? 0) : clean ? 0 : MAX_EXPIRY_S;
    const opened = sessions.open(sessionIdOf(username, name), {
      owner: by.owner,
      maxSessions: by.maxSessions,
      link,
      isClean: clean,
      expirySeconds: Math.min(connectExpiry, MAX_EXPIRY_S),
    });
    session = opened.session;
    const own = opened.session;
    ({ expirySeconds } = opened);
    for (const [given, { filter }] of own.subscriptions)
      if (!by.canReceive(filter)) sessions.unsubscribe(own, given);
    own.removeUnless((topic) => by.canReceive(by.resolve(topic) ?? '$'));
    ({ will } = packet);
    try {
      if (own.isPersistent) await options.written();
    } catch (error) {
      if (phaseNow() === 'ended') return;
      will = undefined;
      return refuseConnect(3, options.reasonCodeOf(error), 'The session cannot be stored. Try again later.');
    }
    if (phaseNow() === 'ended') return;
    if (version === 5) {
      largestPacket = properties.maximumPacketSize ?? Number.POSITIVE_INFINITY;
      wantsReasons = properties.requestProblemInformation !== false;
      send({
        cmd: 'connack',
        sessionPresent: opened.isPresent,
        reasonCode: REASON.success,
        properties: {
          receiveMaximum: RECEIVE_MAXIMUM,
          maximumPacketSize: MAX_PACKET_BYTES,
          topicAliasMaximum: TOPIC_ALIASES,
          sharedSubscriptionAvailable: false,
          ...(isUnnamed && { assignedClientIdentifier: name }),
          ...(expirySeconds !== connectExpiry && { sessionExpiryInterval: expirySeconds }),
        },
      });
    } else send({ cmd: 'connack', sessionPresent: opened.isPresent, returnCode: 0 });
    phase = 'open';
    if (keepalive > 0) {
      keepAlive = setTimeout(() => {
        // While the broker does not read, packets of the client wait.
        if (stream.isPaused()) keepAlive?.refresh();
        else disconnect(REASON.keepAliveTimeout);
      }, keepalive * 1_500);
      keepAlive.unref();
    }
    Object.assign(link, { window: version === 5 ? (properties.receiveMaximum ?? LARGEST_WINDOW) : WINDOW });
    sessions.attach(own, link);
    turns.wait(work);
  };
  /** The current phase, which changes while `connect` waits. TypeScript assumes that `phase` does not. */
  const phaseNow = () => phase;

  const onOpenPacket = (packet: Packet, own: Session, by: Grant): void | Promise<void> => {
    switch (packet.cmd) {
      case 'publish':
        return onPublish(packet, own, by);
      case 'puback':
        return own.acknowledge(packet.messageId ?? 0);
      case 'pubrec':
        return onPubrec(packet.messageId ?? 0, packet.reasonCode ?? 0, own);
      case 'pubrel':
        return onPubrel(packet.messageId ?? 0, own);
      case 'pubcomp':
        return own.complete(packet.messageId ?? 0);
      case 'subscribe':
        return onSubscribe(packet, own, by);
      case 'unsubscribe':
        return onUnsubscribe(packet, own);
      case 'pingreq':
        return void send({ cmd: 'pingresp' });
      case 'disconnect':
        return onDisconnect(packet);
      default:
        throw new ProtocolViolation(REASON.protocolError, `The broker does not expect ${packet.cmd}.`);
    }
  };

  const violate = (error: unknown): void => {
    if (error instanceof ProtocolViolation) return disconnect(error.code, error.message);
    fail(error);
  };

  const afterWrite = async (answered: Promise<void>): Promise<void> => {
    writing += 1;
    try {
      await answered;
    } catch (error) {
      violate(error);
    }
    writing -= 1;
    if (stream.isPaused() && phase === 'open') turns.wait(work);
  };

  const onPacket = (packet: Packet): void => {
    if (phase === 'ended') return;
    try {
      checkPacket(packet);
      checkUtf8(packet, packetBytes);
      if (phase === 'new') {
        if (packet.cmd !== 'connect')
          throw new ProtocolViolation(REASON.protocolError, 'The first packet must be CONNECT.');
        connect(packet).catch(violate);
        return;
      }
      const answered = onOpenPacket(packet, session!, grant!);
      if (answered !== undefined) void afterWrite(answered);
    } catch (error) {
      violate(error);
    }
  };

  let packetBytes: Buffer = Buffer.alloc(0);
  const handlePublish = (packet: IPublishPacket): void => {
    try {
      onPublish(packet, session!, grant!);
    } catch (error) {
      violate(error);
    }
  };

  parser.on('packet', onPacket);
  parser.on('error', (error: Error) => {
    if (phase === 'new' && error.message === 'Invalid protocol version') {
      options.onUnsupportedVersion();
      // The client may not read the packets of another version than its own. Every client reads those of 3.1.1.
      return finish(Uint8Array.of(0x20, 2, 0, 1));
    }
    disconnect(REASON.malformedPacket, error.message);
  });

  const isBusy = (): boolean =>
    phase === 'authenticating' ||
    storing >= MAX_STORING ||
    storingBytes >= MAX_STORING_BYTES ||
    writing >= MAX_WRITING ||
    retained.length > 0 ||
    isBlocked();

  /** Reads one packet. Returns false if more bytes are needed, or the connection has ended. */
  const readPacket = (): boolean => {
    try {
      const bytes = splitter.take();
      if (bytes === undefined) return false;
      const publish = phase === 'open' ? readPublish(bytes, version) : undefined;
      if (publish === undefined) {
        packetBytes = bytes;
        parser.parse(bytes);
      } else handlePublish(publish);
      return true;
    } catch (error) {
      if (error instanceof PacketTooLarge && Number.isFinite(error.bytes)) {
        options.onTooLarge(error.bytes, error.limit);
        disconnect(REASON.packetTooLarge);
      } else {
        // The parser reads beyond the end of some malformed packets.
        disconnect(REASON.malformedPacket);
      }
      return false;
    }
  };

  /** Sends retained messages and reads packets, until this client or the other connections must wait. */
  const work = (): void => {
    while (phaseNow() !== 'ended') {
      if (!turns.hasTime()) {
        stream.pause();
        return turns.wait(work);
      }
      const [sending] = retained;
      if (sending !== undefined && !isBlocked()) {
        if (sending.next().done === true) retained.shift();
      } else if (isBusy()) return void stream.pause();
      else if (!readPacket()) return void stream.resume();
    }
  };

  stream.on('data', (chunk: Buffer) => {
    if (phase === 'ended') return;
    keepAlive?.refresh();
    splitter.push(chunk);
    work();
  });
  let failure: Error | undefined;
  stream.on('error', (error: Error) => {
    failure = error;
  });
  stream.once('close', () => {
    writer.close();
    leave();
    options.onClosed(failure);
  });

  return handle;
};
