/** The reason codes of MQTT 5 (2.4) that the broker sends. */
export const REASON = {
  success: 0x00,
  disconnectWithWill: 0x04,
  noSubscription: 0x11,
  unspecified: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  clientIdInvalid: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  filterInvalid: 0x8f,
  topicInvalid: 0x90,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  aliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  sharedUnsupported: 0x9e,
} as const;

export type ReasonCode = (typeof REASON)[keyof typeof REASON];

/** Reason codes from here on are errors (MQTT 5, 2.4). */
export const FIRST_ERROR = 0x80;

/** A packet that breaks the rules of MQTT. The broker ends its connection, in MQTT 5 with this reason code. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
  readonly code: ReasonCode;

  constructor(code: ReasonCode, detail: string) {
    super(detail);
    this.code = code;
  }
}
