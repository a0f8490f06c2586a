import { WireType } from '@bufbuild/protobuf/wire';
import { InvalidSeries } from './labelled-series.ts';
import { ProtobufFields } from './protobuf-fields.ts';

/** Field numbers. */
const [TIMESERIES, LABELS, SAMPLES, HISTOGRAMS] = [1, 1, 2, 4];
const [NAME, LABEL_VALUE] = [1, 2];
const [VALUE, TIMESTAMP] = [1, 2];
const { LengthDelimited, Bit64, Varint } = WireType;

/** More characters than this in one series are an error of its sender. */
const MAX_LABEL_BYTES = 16_384;

/**
 * Reads a `prometheus.WriteRequest` series by series and sample by sample.
 * Source: https://prometheus.io/docs/specs/prw/remote_write_spec/
 */
export class WriteRequest {
  readonly #fields: ProtobufFields;
  #start = 0;
  #end = 0;
  /** The next field of this series that `nextSample` reads. */
  #at = 0;
  #labelBytes = 0;
  /** Of this series. */
  samples = 0;
  histograms = 0;
  /** Of this sample. */
  value = 0;
  timestamp = 0;

  constructor(bytes: Uint8Array) {
    this.#fields = new ProtobufFields(bytes);
  }

  /** Moves to the next series. Returns false at the end. @throws Error if the body is not a WriteRequest */
  nextSeries(): boolean {
    const fields = this.#fields;
    fields.pos = this.#end;
    while (fields.next(fields.len)) {
      if (fields.is(TIMESERIES, LengthDelimited)) {
        this.#enterSeries();
        return true;
      }
      fields.skipField();
    }
    this.#end = fields.len;
    return false;
  }

  /** The labels of this series. @throws InvalidSeries */
  readLabels(): (readonly [name: string, value: string])[] {
    if (this.#labelBytes > MAX_LABEL_BYTES)
      throw new InvalidSeries(`has labels of more than ${MAX_LABEL_BYTES} bytes`);
    const fields = this.#fields;
    const labels: (readonly [string, string])[] = [];
    fields.pos = this.#start;
    while (fields.next(this.#end))
      if (fields.is(LABELS, LengthDelimited)) labels.push(this.#readLabel());
      else fields.skipField();
    return labels;
  }

  /** Moves to the next sample of this series. Returns false at the end. */
  nextSample(): boolean {
    const fields = this.#fields;
    fields.pos = this.#at;
    while (fields.next(this.#end)) {
      if (fields.is(SAMPLES, LengthDelimited)) {
        this.#readSample();
        this.#at = fields.pos;
        return true;
      }
      fields.skipField();
    }
    this.#at = this.#end;
    return false;
  }

  #enterSeries(): void {
    const fields = this.#fields;
    this.#end = fields.enter();
    this.#start = this.#at = fields.pos;
    this.samples = this.histograms = this.#labelBytes = 0;
    while (fields.next(this.#end)) {
      const from = fields.pos;
      if (fields.is(LABELS, LengthDelimited)) {
        this.#skipLabel();
        this.#labelBytes += fields.pos - from;
      } else {
        if (fields.is(SAMPLES, LengthDelimited)) this.samples += 1;
        else if (fields.is(HISTOGRAMS, LengthDelimited)) this.histograms += 1;
        fields.skipField();
      }
    }
  }

  #skipLabel(): void {
    const end = this.#fields.enter();
    while (this.#fields.next(end)) this.#fields.skipField();
  }

  #readLabel(): readonly [string, string] {
    const fields = this.#fields;
    let [name, value] = ['', ''];
    const end = fields.enter();
    while (fields.next(end))
      if (fields.is(NAME, LengthDelimited)) name = this.#readText();
      else if (fields.is(LABEL_VALUE, LengthDelimited)) value = this.#readText();
      else fields.skipField();
    return [name, value];
  }

  #readText(): string {
    try {
      return this.#fields.string(true);
    } catch {
      throw new InvalidSeries('has a label that is not UTF-8 text');
    }
  }

  #readSample(): void {
    const fields = this.#fields;
    this.value = this.timestamp = 0;
    const end = fields.enter();
    while (fields.next(end))
      if (fields.is(VALUE, Bit64)) this.value = fields.double();
      else if (fields.is(TIMESTAMP, Varint)) this.timestamp = fields.integer();
      else fields.skipField();
  }
}
