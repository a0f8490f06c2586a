import * as z from 'zod';

/** Replaces a stored secret in responses. A client that sends it back keeps the secret. */
export const MASK = '***';

/** A secret can refer to an environment variable of the service. */
const reference = /\$\{env:([^}]*)\}/g;
/**
 * Only PENSTOCK_ variables can be referred to: others hold secrets of the service itself. _HOSTS variables are lists of
 * hosts.
 */
const REFERABLE = /^PENSTOCK_(?!([A-Z0-9_]*_)?HOSTS$)[A-Z0-9_]+$/;

/** The variables that a text refers to. */
export const referencesIn = (text: string): string[] =>
  [...text.matchAll(reference)].map(([, name]) => name!);

/** True for a text that only refers to a secret: `${env:NAME}`, or `Bearer ${env:NAME}`. */
export const isReference = (text: string): boolean => /^([A-Za-z]+ )?\$\{env:[^}]*\}$/.test(text);

/** True for the name of a variable that a config may refer to. */
export const isReferable = (name: string): boolean => REFERABLE.test(name);

/** Replaces each reference in a text by the value of its variable. */
export const putReferences = (text: string, find: (name: string) => string | undefined): string =>
  text.replace(reference, (whole, name: string) => find(name) ?? whole);

/** Help text: how to read a secret from the environment. */
export const REFERENCE_HELP =
  '${env:PENSTOCK_NAME} reads the secret from the environment of the service. PENSTOCK_NAME_HOSTS lists the hosts that may receive it.';

/** A field that is stored separately and returned as `***`. */
export const secretField = (title: string, description: string) =>
  z
    .string()
    .min(1, 'Must not be empty.')
    .max(4_096, 'Must be at most 4,096 characters.')
    .optional()
    .describe(`${description} ${REFERENCE_HELP}`)
    .meta({ title, writeOnly: true });

/** A URL with one of these schemes. `prefixes` lists them in the error. */
export const addressOf = (schemes: RegExp, prefixes: string) =>
  z.url({ protocol: schemes, error: `Must be a URL that begins with ${prefixes}.` }).max(2_048);

/** The user name for an external system. */
export const userField = z
  .string()
  .min(1, 'Must not be empty.')
  .max(256, 'Must be at most 256 characters.')
  .optional()
  .describe('The user name to sign in with.')
  .meta({ title: 'User name' });

/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that Penstock sets: connection headers (RFC 9110, 7.6.1) and `Accept-Encoding`. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect|accept-encoding)$/i;

/** Headers of a request. Their values are stored as secrets. */
export const headersField = z
  .record(
    z.string(),
    z
      .string('Must be text.')
      .max(4_096, 'Must be at most 4,096 characters.')
      .regex(/^[\t\x20-\x7e]*$/, 'Must be one line of ASCII characters.'),
  )
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers))
      if (!HEADER_NAME.test(name))
        context.addIssue({ code: 'custom', path: [name], message: 'Must be a valid header name.' });
      else if (OWN_HEADERS.test(name))
        context.addIssue({ code: 'custom', path: [name], message: 'Penstock sets this header. Remove it.' });
  })
  .refine((headers) => Object.keys(headers).length <= 50, 'Must be at most 50 headers.')
  .optional();
