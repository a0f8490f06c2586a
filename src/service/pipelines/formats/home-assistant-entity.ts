import { distinctExternalIdOf } from './external-id-of.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { isKnownTemplate } from './value-template.ts';

/** A value in the messages of a topic. */
export type Entity = {
  /** The external ID of the device. */
  readonly device: string;
  readonly deviceName?: string;
  readonly metric: string;
  /** Undefined: the whole message is the value. */
  readonly template?: string;
  readonly unit?: string;
  /** A value without a unit stays text unless the message has a number. */
  readonly isNumber?: true;
  /** The texts for true and false. */
  readonly words?: { readonly on: string; readonly off: string };
  /** The message is an object whose fields are metrics below this one. */
  readonly isObject?: true;
};

export type DiscoveredEntity = { readonly topic: string; readonly entity: Entity };

/** The entities of a configuration, and the parts of it that Penstock does not support. */
export type Discovery = {
  readonly entities: readonly DiscoveredEntity[];
  readonly faults: readonly { readonly reason: string; readonly detail: string }[];
};

const TOPIC_LENGTH = 256;
const TEXT_LENGTH = 512;

/**
 * Abbreviations of the fields that are read.
 * Source: https://www.home-assistant.io/integrations/mqtt/#supported-abbreviations-in-mqtt-discovery-messages
 */
const FULL_NAMES: Readonly<Record<string, string>> = {
  act_t: 'action_topic',
  act_tpl: 'action_template',
  bri_stat_t: 'brightness_state_topic',
  bri_val_tpl: 'brightness_value_template',
  cmps: 'components',
  cns: 'connections',
  curr_hum_t: 'current_humidity_topic',
  curr_hum_tpl: 'current_humidity_template',
  curr_temp_t: 'current_temperature_topic',
  curr_temp_tpl: 'current_temperature_template',
  dev: 'device',
  dev_cla: 'device_class',
  fan_mode_stat_t: 'fan_mode_state_topic',
  fan_mode_stat_tpl: 'fan_mode_state_template',
  ids: 'identifiers',
  mode_stat_t: 'mode_state_topic',
  mode_stat_tpl: 'mode_state_template',
  p: 'platform',
  pct_stat_t: 'percentage_state_topic',
  pct_val_tpl: 'percentage_value_template',
  pl_off: 'payload_off',
  pl_on: 'payload_on',
  pos_t: 'position_topic',
  pos_tpl: 'position_template',
  stat_cla: 'state_class',
  stat_off: 'state_off',
  stat_on: 'state_on',
  stat_t: 'state_topic',
  stat_tpl: 'state_template',
  stat_val_tpl: 'state_value_template',
  temp_stat_t: 'temperature_state_topic',
  temp_stat_tpl: 'temperature_state_template',
  unit_of_meas: 'unit_of_measurement',
  val_tpl: 'value_template',
};

/**
 * Where a component has values: its topic, the template for it, what the metric ends in, and whether it is a number.
 */
type Place = readonly [topic: string, template: string, suffix: string, isNumber?: true];
const state: Place = ['state_topic', 'value_template', ''];
const stateValue: Place = ['state_topic', 'state_value_template', ''];
/** Other components, such as cameras and buttons, have no samples. */
const places: Readonly<Record<string, readonly Place[]>> = {
  sensor: [state],
  binary_sensor: [state],
  switch: [state],
  number: [state],
  select: [state],
  text: [state],
  lock: [state],
  siren: [stateValue],
  valve: [state],
  cover: [state, ['position_topic', 'position_template', '.position', true]],
  light: [stateValue, ['brightness_state_topic', 'brightness_value_template', '.brightness', true]],
  fan: [stateValue, ['percentage_state_topic', 'percentage_value_template', '.percentage', true]],
  climate: [
    ['current_temperature_topic', 'current_temperature_template', '.current_temperature', true],
    ['temperature_state_topic', 'temperature_state_template', '.temperature', true],
    ['current_humidity_topic', 'current_humidity_template', '.current_humidity', true],
    ['mode_state_topic', 'mode_state_template', '.mode'],
    ['fan_mode_state_topic', 'fan_mode_state_template', '.fan_mode'],
    ['action_topic', 'action_template', '.action'],
  ],
};
const WITH_WORDS: readonly string[] = ['binary_sensor', 'switch'];

/** The fields that are read, of configurations and of their devices. */
const READ: ReadonlySet<string> = new Set([
  ...Object.values(FULL_NAMES),
  ...Object.values(places)
    .flat()
    .flatMap(([topic, template]) => [topic, template]),
  'name',
  'schema',
]);

/** The fields of a configuration that are read, with full names, and with the base topic in place of `~`. */
const inFull = (given: JsonObject): JsonObject => {
  const base = typeof given['~'] === 'string' ? given['~'] : undefined;
  const full = new Map<string, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const name = Object.hasOwn(FULL_NAMES, key) ? FULL_NAMES[key]! : key;
    // Each component gets a copy of the shared fields.
    if (!READ.has(name)) continue;
    const isTopic = name.endsWith('_topic') && typeof value === 'string' && base !== undefined;
    if (name === 'device') full.set(name, isObject(value) ? inFull(value) : value);
    else full.set(name, isTopic ? value.replace(/^~/, () => base).replace(/~$/, () => base) : value);
  }
  return Object.fromEntries(full);
};

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= TEXT_LENGTH ? value : undefined;

/** The first identifier of a device, or the address of its first connection. */
const identifierOf = (device: unknown): string | undefined => {
  if (!isObject(device)) return undefined;
  const { identifiers, connections } = device;
  const [identifier] = Array.isArray(identifiers) ? (identifiers as unknown[]) : [identifiers];
  const [connection] = Array.isArray(connections) ? (connections as unknown[]) : [];
  const [, address] = Array.isArray(connection) ? (connection as unknown[]) : [];
  return textIn(identifier) ?? textIn(address);
};

/** A topic that a pipeline may subscribe to: no wildcards, and none that the broker or the API reserves. */
const isStateTopic = (topic: string): boolean =>
  topic.length <= TOPIC_LENGTH &&
  !/[+#\0]/.test(topic) &&
  !topic.startsWith('$') &&
  !topic.startsWith('v1/devices/');

/** Device classes of sensors whose values are text. */
const TEXT_CLASSES: readonly unknown[] = [undefined, null, 'None', 'date', 'enum', 'timestamp'];

/** Whether Home Assistant requires a number. */
const hasNumbers = (component: string, config: JsonObject): boolean =>
  component === 'number' ||
  textIn(config['unit_of_measurement']) !== undefined ||
  textIn(config['state_class']) !== undefined ||
  (component === 'sensor' && !TEXT_CLASSES.includes(config['device_class']));

const entitiesOf = (
  config: JsonObject,
  { component, name, fallback }: { component: string; name: string; fallback: string },
): Discovery => {
  const found: DiscoveredEntity[] = [];
  const faults: Discovery['faults'][number][] = [];
  const identifier = identifierOf(config['device']);
  const deviceName = isObject(config['device']) ? textIn(config['device']['name']) : undefined;
  const unit = textIn(config['unit_of_measurement']);
  const isJsonLight = component === 'light' && config['schema'] === 'json';
  for (const [topicField, templateField, suffix, isNumber = false] of Object.hasOwn(places, component)
    ? places[component]!
    : []) {
    const topic = config[topicField];
    const template = config[templateField];
    if (typeof topic !== 'string' || topic === '') continue;
    const metric = `${component}.${name}${suffix}`;
    if (!isStateTopic(topic))
      faults.push({
        reason: 'invalid-topic',
        detail: `${metric}: Penstock cannot subscribe to the ${topicField}.`,
      });
    else if (template !== undefined && !(typeof template === 'string' && isKnownTemplate(template)))
      faults.push({
        reason: 'unknown-template',
        detail: `${metric}: Penstock does not support this ${templateField}: ${JSON.stringify(template).slice(0, TEXT_LENGTH)}`,
      });
    else
      found.push({
        topic,
        entity: {
          device: distinctExternalIdOf(identifier ?? fallback),
          metric,
          ...(deviceName !== undefined && { deviceName }),
          ...(typeof template === 'string' && { template }),
          ...(unit !== undefined && suffix === '' && { unit }),
          ...((isNumber || (suffix === '' && hasNumbers(component, config))) && { isNumber: true }),
          ...(WITH_WORDS.includes(component) && { words: wordsIn(config) }),
          ...(isJsonLight && suffix === '' && { isObject: true }),
        },
      });
  }
  return { entities: found, faults };
};

const wordOf = (value: unknown, fallback: string): string =>
  typeof value === 'boolean' || typeof value === 'number' ? String(value) : (textIn(value) ?? fallback);

const wordsIn = (config: JsonObject) => ({
  on: wordOf(config['state_on'] ?? config['payload_on'], 'ON'),
  off: wordOf(config['state_off'] ?? config['payload_off'], 'OFF'),
});

/**
 * Reads the configuration of an entity, or of a device with components. `levels`: of its topic, below the prefix:
 * component, node, object and `config`, where the node may be missing.
 * Source: https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
 */
export const readDiscovery = (levels: readonly string[], given: JsonObject): Discovery => {
  const [component = '', ...path] = levels.slice(0, -1);
  const [fallback = '', object = fallback] = path;
  const config = inFull(given);
  if (component !== 'device') return entitiesOf(config, { component, name: object, fallback });
  const { components, ...shared } = config;
  const all = Object.entries(isObject(components) ? components : {}).flatMap(([name, fields]) => {
    if (!isObject(fields)) return [];
    const merged = {
      ...shared,
      ...inFull({ ...(given['~'] === undefined ? {} : { '~': given['~'] }), ...fields }),
    };
    const { platform } = merged;
    const own = { component: typeof platform === 'string' ? platform : '', name, fallback: object };
    return [entitiesOf(merged, own)];
  });
  return {
    entities: all.flatMap(({ entities }) => entities),
    faults: all.flatMap(({ faults }) => faults),
  };
};
