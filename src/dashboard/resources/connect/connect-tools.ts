import type { ConnectTool } from './tools/connect-tool.ts';
import { agentTools } from './tools/agent-tools.ts';
import { codeTools } from './tools/code-tools.ts';
import { deviceTools } from './tools/device-tools.ts';
import { hubTools } from './tools/hub-tools.ts';
import { lorawanTools } from './tools/lorawan-tools.ts';

/** Every device and tool that Connect explains. To add one, add an entry to a file in `tools`. */
export const connectTools: readonly ConnectTool[] = [
  ...deviceTools,
  ...hubTools,
  ...agentTools,
  ...lorawanTools,
  ...codeTools,
];

/** The tool with an ID, as in URLs. */
export const findTool = (id: string | null): ConnectTool | undefined =>
  connectTools.find((tool) => tool.id === id);
