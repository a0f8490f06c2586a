import { putFields } from './flatten.ts';
import { hasOnly, isObject } from './json-object.ts';
import type { MessageFormat } from './message-format.ts';
import { topicAfter, topicDevice } from './topic-device.ts';

/** The topics that hold a whole state after a change. */
const STATES = /\/(update|get)\/accepted$|\/update\/documents$/;

/** All fields of documents, requests and responses of a shadow. */
const SHADOW_FIELDS = [
  'state',
  'metadata',
  'version',
  'timestamp',
  'clientToken',
  'current',
  'previous',
  'code',
  'message',
];

/**
 * Device shadows of AWS IoT: the reported state of a thing. Desired states, differences and requests have no samples.
 * Source: https://docs.aws.amazon.com/iot/latest/developerguide/device-shadow-mqtt.html
 */
export const awsShadowFormat: MessageFormat = {
  name: 'aws-shadow',
  write: (content, writer, { topic }) => {
    const path = topicAfter(topic, '$aws/things/');
    if (topic === null || path === undefined || !path.includes('/shadow/')) return false;
    if (!isObject(content)) return false;
    const document = isObject(content['current']) ? content['current'] : content;
    const reported = isObject(document['state']) ? document['state']['reported'] : undefined;
    if (!STATES.test(topic) || !isObject(reported)) {
      writer.isSkipped = hasOnly(content, SHADOW_FIELDS);
      return writer.isSkipped;
    }
    putFields(writer, reported);
    writer.endGroup(topicDevice(writer, path.slice(0, path.indexOf('/'))), content['timestamp']);
    return true;
  },
};
