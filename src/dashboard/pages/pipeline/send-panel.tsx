import { useQuery } from '@tanstack/react-query';
import type { Pipeline } from '#contract/pipelines.ts';
import { connectionQueries } from '../../resources/devices/connection-queries.ts';
import { paths } from '../../paths.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { sendSnippetOf } from '../../resources/pipelines/send-snippet.ts';

/** A line to try it with from a terminal. What reads by itself takes no messages, and shows nothing here. */
export const SendPanel = ({ pipeline }: { pipeline: Pipeline }) => {
  const { data: connection } = useQuery(connectionQueries.get());
  const snippet = connection === undefined ? null : sendSnippetOf(pipeline, connection);
  if (snippet === null) return null;
  return (
    <Panel title="Send to it">
      <div className="flex flex-col gap-2">
        <CodeBlock code={snippet.code} label={snippet.label} />
        <p className="text-sm text-muted">
          PENSTOCK_KEY is an <Link to={paths.apiKeys}>API key</Link> with telemetry:write. {snippet.note}
        </p>
      </div>
    </Panel>
  );
};
