import { capitalize } from '#contract/capitalize.ts';
import type { Preview } from '#contract/messages.ts';
import type { SchemaField } from '../../kit/schema-form/schema-field.ts';
import { messageFields } from './message-fields.ts';
import { hasFieldRoles, isMappedByUser } from './role-expression.ts';
import { HTTP } from './preview-body.ts';

type Input = {
  type: string;
  /** The field of the form with the topic of messages; undefined: they have none. */
  topicField: SchemaField | undefined;
  message: string;
  preview: Preview;
  expression: string | null;
};

/** The wildcard of one level of a topic. */
export const wildcardOf = (type: string): string => (type === 'nats' ? '*' : '+');

/** What names the device of the message in Preview, with the words of the form and of the source. */
export const noDeviceAdvice = ({ type, topicField, message, preview, expression }: Input): string => {
  const fields = messageFields(message);
  const ways = [
    ...(isMappedByUser(fields, preview, expression)
      ? ['return “device” from your expression']
      : fields.length > 0 && hasFieldRoles(preview)
        ? ['choose the role Device for a field above']
        : []),
    ...(topicField === undefined
      ? []
      : [
          `put ${wildcardOf(type)} at the level of the ${topicField.label.toLowerCase()} that names the device`,
        ]),
    ...(type === HTTP ? ['send messages with ?device='] : []),
    'enter one device for all messages under Device',
  ];
  const text = [ways.slice(0, -1).join(', '), ways.at(-1)].filter((part) => part !== '').join(' or ');
  return `These samples name no device. ${capitalize(text)}.`;
};
