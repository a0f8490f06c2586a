export const EXTERNAL_ID = /^[A-Za-z0-9._:-]+$/;
export const EXTERNAL_ID_LENGTH = 128;

export const isExternalId = (text: string): boolean =>
  text.length <= EXTERNAL_ID_LENGTH && EXTERNAL_ID.test(text);
