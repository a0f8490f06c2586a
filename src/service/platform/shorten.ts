/** How much of a text that a client sent is shown in the detail of a problem. */
export const SHOWN_CHARACTERS = 40;

/** The text, or its first characters and an ellipsis if it is longer. */
export const shorten = (text: string, characters: number): string =>
  // The cut may split a surrogate pair.
  text.length > characters ? `${text.slice(0, characters).toWellFormed()}…` : text;
