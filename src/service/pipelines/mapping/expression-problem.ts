import jsonata from 'jsonata';

/** JSONata throws its own objects. */
type Fault = { message?: unknown; position?: unknown };

/** Why a text is not a valid expression; undefined: it is valid. Does not evaluate it. */
export const expressionProblem = (expression: string | undefined): string | undefined => {
  if (expression === undefined || expression.trim() === '')
    return 'Must not be empty. The expression maps messages to samples.';
  try {
    jsonata(expression);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return 'Nests too deeply.';
    const { message, position }: Fault = typeof error === 'object' && error !== null ? error : {};
    const at = typeof position === 'number' ? `At character ${position}: ` : '';
    return `${at}${typeof message === 'string' ? message : 'This is not a valid JSONata expression'}.`;
  }
};
