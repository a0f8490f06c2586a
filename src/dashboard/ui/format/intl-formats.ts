/** The time zones that the dashboard offers: the browser's and UTC. */
export type TimeZone = 'local' | 'utc';

/** Creates a format on first use: creating one takes milliseconds, a hundred times as long as using it. */
const cached = <Options, Format>(create: (locale: string, options: Options) => Format) => {
  const formats = new Map<string, Format>();
  return (locale: string, options: Options): Format => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = formats.get(key);
    if (known !== undefined) return known;
    const made = create(locale, options);
    formats.set(key, made);
    return made;
  };
};

const numberFormats = cached(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
);
const dateFormats = cached(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
);

/** In the operator's language by default: its separators, while the words around numbers are English. */
export const numberFormat = (options: Intl.NumberFormatOptions, locale: string = navigator.language) =>
  numberFormats(locale, options);

/** In the operator's language by default. Hours are 0 to 23 in every language. */
export const dateFormat = (
  options: Intl.DateTimeFormatOptions,
  zone: TimeZone,
  locale: string = navigator.language,
) => dateFormats(locale, { ...options, ...(zone === 'utc' && { timeZone: 'UTC' }), hourCycle: 'h23' });
