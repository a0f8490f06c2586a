import { MASK } from '#contract/connection-fields.ts';
import type { DestinationType } from '#contract/destinations.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { optionFieldsOf, typeNamed, type DestinationFormValues } from './destination-form-values.ts';

const OPTION = 'option ';
const labels: Record<string, string> = { name: 'Name', type: 'Type', url: 'Address' };

/** The fields of a destination's form; each of its options is one by itself. */
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
      if (optionOf(key)?.isSecret === true)
        return String(value).includes(MASK) ? 'The stored one' : 'The one typed here';
      return typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value);
    },
  };
};
