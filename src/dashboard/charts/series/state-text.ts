/** A state as it is shown: text as it came, booleans as the API says them. */
export const stateText = (value: boolean | string) => String(value);
