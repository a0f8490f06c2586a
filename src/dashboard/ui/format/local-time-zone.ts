/** The IANA name of the time zone of the browser. */
export const localTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
