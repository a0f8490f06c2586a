import { DEVICE_TOPIC } from '#contract/pipeline-types.ts';
import type { Pipeline } from '#contract/pipelines.ts';
import type { Connection } from '#contract/service.ts';
import { EXAMPLE_DEVICE, exampleFor } from './example-message.ts';
import { shellText } from '../../ui/format/shell-text.ts';

const BODY = '{"temperature": 21.5}';
/** An expression expects messages of its own shape. */
const ANY_BODY = '{ … }';
const EXPRESSION_NOTE = 'Replace { … } with a message that the expression maps.';

const textIn = ({ config }: Pipeline, name: string) =>
  typeof config[name] === 'string' ? config[name] : undefined;

/**
 * How to send a message to a pipeline from a terminal, with the URL for other services that send over HTTP. Null if the
 * pipeline does not accept messages.
 */
export const sendSnippetOf = (
  pipeline: Pipeline,
  { baseUrl, mqtt }: Connection,
): { url: string | null; label: string; code: string; note: string } | null => {
  const isMapped = pipeline.mapping.format === 'expression';
  const noteOf = (note: string) => (isMapped ? `${EXPRESSION_NOTE} ${note}` : note);
  if (pipeline.type === 'http') {
    const device = textIn(pipeline, 'device');
    const query = device === undefined ? `?device=${EXAMPLE_DEVICE}` : '';
    const url = `${baseUrl}/v1/pipelines/${pipeline.id}/messages`;
    return {
      url,
      label: 'curl',
      code: [
        `curl ${shellText(`${url}${query}`)}`,
        `  -H "Authorization: Bearer $PENSTOCK_KEY"`,
        `  -H 'Content-Type: application/json'`,
        `  -d ${shellText(isMapped ? ANY_BODY : BODY)}`,
      ].join(' \\\n'),
      note: noteOf(
        device === undefined
          ? 'A message that names its device needs no ?device=.'
          : `A message that names no device belongs to ${device}.`,
      ),
    };
  }
  // Only for the embedded broker: an external broker has its own users.
  if (pipeline.type === 'mqtt' && mqtt !== null && textIn(pipeline, 'url') === undefined) {
    const { topic, message } = exampleFor(
      textIn(pipeline, 'topic') ?? DEVICE_TOPIC,
      textIn(pipeline, 'device') !== undefined,
    );
    return {
      url: null,
      label: 'mosquitto_pub',
      code: [
        `mosquitto_pub -h ${new URL(baseUrl).hostname} -p ${mqtt.port} -q 1`,
        `  -u ${EXAMPLE_DEVICE} -P "$PENSTOCK_KEY"`,
        `  -t ${shellText(topic)}`,
        `  -m ${shellText(isMapped ? ANY_BODY : message)}`,
      ].join(' \\\n'),
      note: noteOf('The user name is the device’s external ID.'),
    };
  }
  return null;
};
