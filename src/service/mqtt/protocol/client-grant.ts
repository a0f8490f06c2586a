import type { Message } from './mqtt-message.ts';
import type { ReasonCode } from './reason-codes.ts';

/** A refused CONNECT. `returnCode`: of MQTT 3.1.1 (3.2.2.3). */
export class ConnectRefused extends Error {
  override readonly name: string = 'ConnectRefused';
  readonly returnCode: 2 | 3 | 4 | 5;
  readonly reason: string;

  constructor(returnCode: 2 | 3 | 4 | 5, reason: string, detail: string) {
    super(detail);
    this.returnCode = returnCode;
    this.reason = reason;
  }
}

/**
 * A refused message. With a code for PUBACK, a client that speaks MQTT 5 stays connected and does not send it again.
 * Otherwise the broker closes the connection.
 */
export class PublishRefused extends Error {
  override readonly name: string = 'PublishRefused';
  readonly reason: string;
  readonly code: ReasonCode;

  constructor(code: ReasonCode, reason: string, detail: string) {
    super(detail);
    this.code = code;
    this.reason = reason;
  }
}

/** The permissions of an authenticated client, and the part that accepts its messages. */
export type Grant = {
  /** The owner of the sessions of the client. */
  readonly owner: string;
  /** The largest number of persistent sessions of the user name. */
  readonly maxSessions: number;
  /** The topic or topic filter with the name of the device in place of `me`; undefined if there is none. */
  resolve(topic: string): string | undefined;
  /** Whether the client is allowed to receive messages of a resolved topic or topic filter. */
  canReceive(filter: string): boolean;
  /** Accepts a message. @throws PublishRefused */
  accept(message: Message): {
    /** Resolves once the message is stored. @throws PublishRefused, or the error of the store */
    stored: Promise<unknown>;
    /** What subscribers receive; undefined: nothing. */
    forward: Message | undefined;
  };
  /** The connection is closed, and its will is published or cancelled. */
  closed(): void;
};

export type ConnectionHandle = {
  /** Closes the connection without its will. Cancels a delayed will. */
  end(code: ReasonCode): void;
};
