/** A message of a device, in the form that its documentation describes, and the samples that it becomes. */
export type DevicePayload = {
  readonly name: string;
  /** The page of the documentation. */
  readonly source: string;
  readonly topic?: string;
  /** The device that the first `+` of the topic filter matches. */
  readonly level?: string;
  /** An object is sent as JSON, text as it is. */
  readonly payload: object | string;
  readonly format: string;
  /** By device; `ts` in epoch ms. Empty: the message is skipped. */
  readonly samples: readonly {
    readonly device: string;
    readonly ts?: number;
    readonly values: Readonly<Record<string, unknown>>;
  }[];
  readonly units?: Readonly<Record<string, string>>;
  readonly deviceNames?: Readonly<Record<string, string>>;
};
