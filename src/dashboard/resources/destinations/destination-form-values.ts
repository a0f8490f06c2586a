import * as z from 'zod';
import { MASK } from '#contract/connection-fields.ts';
import { destinationOptions, destinationUrls } from '#contract/destination-types.ts';
import {
  newDestinationSchema,
  type Destination,
  type DestinationChange,
  type DestinationType,
  type NewDestination,
} from '#contract/destinations.ts';
import {
  patchOf,
  inputOf,
  problemsOf,
  schemaFieldOf,
  schemaFieldsOf,
  secretInWords,
  valuesOf,
  type SchemaField,
} from '../../kit/schema-form/schema-field.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { formatBoolean } from '../../ui/format/format-boolean.ts';

type Types = readonly DestinationType[];

export const typeNamed = (types: Types, name: string): DestinationType | undefined =>
  types.find(({ type }) => type === name);

/** The options of a type; none of an unknown type. */
export const optionFieldsOf = (type: DestinationType | undefined): SchemaField[] =>
  schemaFieldsOf(type?.optionsSchema ?? {});

/** The address field of a type; undefined if it has none. */
export const urlFieldOf = (type: DestinationType | undefined): SchemaField | undefined =>
  type === undefined || type.urlSchema === null ? undefined : schemaFieldOf('url', type.urlSchema);

const optionSchemas: Readonly<Record<string, z.ZodType>> = destinationOptions;
const urlSchemas: Readonly<Record<string, z.ZodType>> = destinationUrls;

const urlProblem = (type: DestinationType | undefined, url: string): string | undefined => {
  if (urlFieldOf(type) === undefined) return undefined;
  if (url.trim() === '') return 'Must not be empty.';
  return urlSchemas[type?.type ?? '']?.safeParse(url.trim()).error?.issues[0]?.message;
};

/** The form: `config` holds the options. */
export const destinationFormSchema = (types: Types) =>
  z
    .object({
      name: newDestinationSchema.shape.name,
      type: z.string().min(1, 'Choose a type.'),
      url: z.string(),
      config: z.record(z.string(), z.union([z.string(), z.boolean(), z.undefined()])),
    })
    .superRefine((values, context) => {
      const type = typeNamed(types, values.type);
      const message = urlProblem(type, values.url);
      if (message !== undefined) context.addIssue({ code: 'custom', path: ['url'], message });
      const problems = problemsOf(optionSchemas[values.type], optionFieldsOf(type), values.config);
      for (const { path, message: problem } of problems)
        context.addIssue({ code: 'custom', path: ['config', ...path], message: problem });
    });
export type DestinationFormValues = z.output<ReturnType<typeof destinationFormSchema>>;

/** The form values of a destination. */
export const formValuesOf = (destination: Destination | undefined, types: Types): DestinationFormValues => {
  const type = destination?.type ?? '';
  return {
    name: destination?.name ?? '',
    type,
    url: destination?.url ?? '',
    config: inputOf(optionFieldsOf(typeNamed(types, type)), destination?.options ?? {}),
  };
};

const holdsPassword = (url: string): boolean => {
  const password = URL.canParse(url) ? new URL(url).password : '';
  return password !== '' && password !== MASK;
};

/** The values without typed secrets, which drafts must not contain. */
export const withoutSecrets = (
  typed: DestinationFormValues,
  from: DestinationFormValues,
  types: Types,
): DestinationFormValues => {
  const secrets = optionFieldsOf(typeNamed(types, typed.type)).filter(({ isSecret }) => isSecret);
  return {
    ...typed,
    url: holdsPassword(typed.url) ? from.url : typed.url,
    config: { ...typed.config, ...inputOf(secrets, from.config) },
  };
};

const partsOf = ({ type: name, url, config }: DestinationFormValues, types: Types) => {
  const type = typeNamed(types, name);
  return {
    url: urlFieldOf(type) === undefined ? null : url.trim(),
    options: valuesOf(optionFieldsOf(type), config),
  };
};

export const newDestinationOf = (values: DestinationFormValues, types: Types): NewDestination => {
  const { url, options } = partsOf(values, types);
  return { name: values.name, type: values.type, ...(url !== null && { url }), options };
};

/** The changes of the form as a merge patch. */
export const changeOf = (
  destination: Destination,
  values: DestinationFormValues,
  types: Types,
): DestinationChange => {
  const { url, options } = partsOf(values, types);
  const patch = patchOf(destination.options, options);
  return {
    ...(values.name !== destination.name && { name: values.name }),
    ...(url !== destination.url && { url }),
    ...(Object.keys(patch).length > 0 && { options: patch }),
  };
};

const OPTION = 'option ';
const labels: Record<string, string> = { name: 'Name', type: 'Type', url: 'Address' };

/** The fields of a destination's form; each option is one of them. */
export const destinationFieldsOf = (
  types: readonly DestinationType[],
): EditedFields<DestinationFormValues> => {
  const options = types.flatMap(optionFieldsOf);
  const optionOf = (key: string) => options.find(({ name }) => key === OPTION + name);
  return {
    versionOf: ({ name, type, url, config }) =>
      versionOfEntries([
        ['name', name],
        ['type', type],
        ['url', url],
        ...optionFieldsOf(typeNamed(types, type)).map(
          (field) => [OPTION + field.name, config[field.name]] as const,
        ),
      ]),
    put: (values, key, value) => {
      if (!key.startsWith(OPTION)) return { ...values, [key]: value ?? '' };
      const input = typeof value === 'boolean' ? value : String(value ?? '');
      return { ...values, config: { ...values.config, [key.slice(OPTION.length)]: input } };
    },
    labelOf: (key) => optionOf(key)?.label ?? labels[key] ?? key,
    textOf: (key, value) => {
      if (optionOf(key)?.isSecret === true) return secretInWords(value);
      return typeof value === 'boolean' ? formatBoolean(value) : String(value);
    },
  };
};
