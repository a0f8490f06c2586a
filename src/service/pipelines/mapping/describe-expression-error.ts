import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';

/** An error of JSONata, which throws its own objects. Its fields depend on the code. */
type JsonataError = {
  readonly code?: unknown;
  readonly message?: unknown;
  /** The function or the operator. */
  readonly token?: unknown;
  /** The number of the argument, from 1. */
  readonly index?: unknown;
  readonly type?: unknown;
  readonly value?: unknown;
  readonly value2?: unknown;
};

const kindOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object') return `a ${typeof value}`;
  return '_jsonata_function' in value || '_jsonata_lambda' in value ? 'a function' : 'an object';
};

const ordinals = ['first', 'second', 'third'];
const argumentOf = (index: unknown): string =>
  typeof index === 'number' && ordinals[index - 1] !== undefined
    ? `its ${ordinals[index - 1]} argument`
    : `argument ${String(index)}`;

/** Why an expression failed, in plain words. Rare errors keep the text of JSONata. Source: errorCodes of jsonata.js */
export const describeExpressionError = (error: JsonataError): string => {
  const { code, message, token, index, type, value, value2 } = error;
  if (typeof token === 'string')
    switch (code) {
      case 'T0410':
      case 'T0411':
        return `$${token} does not accept ${kindOf(value)} as ${argumentOf(index)}.`;
      case 'T0412':
        return `$${token} accepts only a list of ${String(type)} as ${argumentOf(index)}.`;
      case 'T1005':
        return `${token} is not a function. Did you mean $${token}?`;
      case 'T1006':
        return `$${token} is not a function.`;
      case 'T2001':
      case 'T2002':
        return `The ${code === 'T2001' ? 'left' : 'right'} side of ${token} must be a number. Here it is ${kindOf(value)}.`;
      case 'T2009':
        return `${token} cannot compare ${kindOf(value)} with ${kindOf(value2)}.`;
      case 'T2010':
        return `${token} compares only numbers and text. Here it has ${kindOf(value)}.`;
      case 'D3030':
        return `$${token} cannot read “${shorten(String(value), SHOWN_CHARACTERS)}” as a number.`;
    }
  return typeof message === 'string' ? message.slice(0, 1_000) : 'The evaluation failed.';
};
