import type { Pipeline } from '#contract/pipelines.ts';
import { session } from '../../api/session.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Panel } from '../../ui/panel.tsx';
import { sendSnippetOf } from './send-snippet.ts';

/** A line to try it with from a terminal. What reads by itself takes no messages, and shows nothing here. */
export const SendPanel = ({ pipeline }: { pipeline: Pipeline }) => {
  const snippet = sendSnippetOf(pipeline, session.baseUrl());
  if (snippet === null) return null;
  return (
    <Panel title="Send to it">
      <div className="flex flex-col gap-2">
        <CodeBlock code={snippet.code} label={snippet.label} />
        <p className="text-sm text-muted">PENSTOCK_KEY is an API key with telemetry:write. {snippet.note}</p>
      </div>
    </Panel>
  );
};
