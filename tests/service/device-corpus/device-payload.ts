/** A message of a device, in the form that its documentation describes, and the samples that it becomes. */
export type DevicePayload = {
  readonly name: string;
  /** The page of the documentation. */
  readonly source: string;
  readonly topic?: string;
  /** The device that the first `+` of the topic filter matches. */
  readonly level?: string;
  /** The topic filter of the pipeline, where it gives the metric. */
  readonly filter?: string;
  /** An object is sent as JSON, text as it is. */
  readonly payload: object | string;
  readonly format: string;
  /** By device; `ts` in epoch ms. Empty, and no rejections or `noValues`: the message is skipped. */
  readonly samples: readonly {
    readonly device: string;
    readonly ts?: number;
    readonly values: Readonly<Record<string, unknown>>;
  }[];
  /** Reasons of the rejections: what Penstock asks, where the message alone does not say it. */
  readonly rejections?: readonly string[];
  /** Number of values that are no values, such as `nan`. */
  readonly noValues?: number;
  readonly units?: Readonly<Record<string, string>>;
  readonly deviceNames?: Readonly<Record<string, string>>;
};
