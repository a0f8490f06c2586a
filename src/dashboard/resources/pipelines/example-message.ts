export const EXAMPLE_DEVICE = 'boiler-7';
const VALUES = '"temperature": 21.5, "humidity": 40';

/** `message`: fits `topic`, and names the device if the topic does not. */
type ExampleMessage = { readonly topic: string; readonly message: string };

/** Topics of tools that give the levels below the first one a meaning, with messages of these tools. */
const examplesOfTools: Record<string, ExampleMessage> = {
  'tele/#': {
    topic: `tele/${EXAMPLE_DEVICE}/SENSOR`,
    // Without a set clock, as Tasmota sends it: the time of receipt applies.
    message: '{"Time": "1970-01-01T00:00:10", "AM2301": {"Temperature": 21.5, "Humidity": 40}}',
  },
  'stat/#': { topic: `stat/${EXAMPLE_DEVICE}/POWER`, message: 'ON' },
  'zigbee2mqtt/#': { topic: `zigbee2mqtt/${EXAMPLE_DEVICE}`, message: `{${VALUES}}` },
  'shellies/#': { topic: `shellies/${EXAMPLE_DEVICE}/sensor/temperature`, message: '21.5' },
  'homie/#': { topic: `homie/${EXAMPLE_DEVICE}/room/temperature`, message: '21.5' },
};

const WILDCARDS = ['+', '*', '#', '>'];

/** A message that names its device. */
export const namedMessage = `{"device": "${EXAMPLE_DEVICE}", ${VALUES}}`;

/** The registers of a device, as their source writes them. */
export const registersMessage = `{"device": "${EXAMPLE_DEVICE}", "values": {${VALUES}}}`;

/**
 * A topic or subject that matches a pattern, and a message that fits it. The first wildcard of one level becomes the
 * device.
 */
export const exampleFor = (pattern: string, hasDevice: boolean): ExampleMessage => {
  const known = examplesOfTools[pattern];
  if (known !== undefined) return known;
  let isNamed = false;
  const topic = pattern.replaceAll(/[^/.]+/g, (level) => {
    if (!WILDCARDS.includes(level)) return level;
    if (isNamed) return 'x';
    isNamed = level === '+' || level === '*';
    return EXAMPLE_DEVICE;
  });
  return { topic, message: isNamed || hasDevice ? `{${VALUES}}` : namedMessage };
};
