import type { ReactNode } from 'react';
import { paths } from '../../paths.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { CodeText } from './code-text.tsx';
import { TOKEN_VARIABLE } from './curl-example.ts';
import type { EndpointProblem } from './reference.ts';

const rules: readonly { name: string; text: string }[] = [
  {
    name: 'Lists',
    text: 'A page is `{ "data": […], "nextCursor": … }`; pass `nextCursor` as `?cursor=` with the same filters until it is null. `?limit=` accepts 1 to 200, `?total=true` adds the count.',
  },
  {
    name: 'Updates',
    text: 'PATCH updates the fields that you send and keeps the others (RFC 7396). Send the `ETag` that you read as `If-Match`: if the resource was updated since, you get 412 and nothing is overwritten.',
  },
  {
    name: 'Retries',
    text: 'Send an `Idempotency-Key` of your choice with a POST that creates a resource. The same key within 24 hours returns the first response and creates no second resource. Telemetry with a `ts` is safe to send again: a sample that is already stored is a duplicate. Without `ts`, Penstock uses the time of arrival, so each repetition stores another sample. Telemetry writes ignore the key.',
  },
  {
    name: 'Times',
    text: 'Fields that end in `At` are RFC 3339 in UTC; the `ts` of a sample is epoch milliseconds. In requests, the magnitude of a number determines its unit, from seconds to nanoseconds.',
  },
  {
    name: 'Limits',
    text: 'Bodies can be up to 5 MiB, and up to 20 MiB after decompression; each endpoint states its limit. Valid keys have no rate limit. After ten invalid tokens in a minute, requests from the same address get 429. With 503, `Retry-After` says when to retry.',
  },
  {
    name: 'Versions',
    text: '`/v1` only adds fields and values: ignore the ones that you do not know. A body with an unknown field is rejected.',
  },
];

const Rule = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-1 gap-x-4 py-2 md:grid-cols-[5.5rem_1fr]">
    <dt className="font-medium">{name}</dt>
    <dd className="min-w-0 text-muted [&_code]:text-ink">{children}</dd>
  </div>
);

/** The conventions of all endpoints. */
export const Conventions = ({
  baseUrl,
  everywhere,
}: {
  baseUrl: string;
  everywhere: readonly EndpointProblem[];
}) => (
  <Panel title="For every endpoint" className="mb-6">
    <div className="grid gap-x-8 gap-y-3 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <p className="text-muted">
          The base URL is <code className="font-mono text-sm break-all text-ink">{baseUrl}</code>. Bodies and
          responses are JSON. Each request carries an <Link to={paths.apiKeys}>API key</Link> as its bearer
          token. The examples on this page read the key from{' '}
          <code className="font-mono">${TOKEN_VARIABLE}</code>:
        </p>
        <CodeBlock
          label="Set the key, then test it"
          code={`export ${TOKEN_VARIABLE}=pen_key_…\ncurl ${baseUrl}/v1/session \\\n  -H "Authorization: Bearer $${TOKEN_VARIABLE}"`}
        />
        <h3 className="mt-2 font-medium">Errors</h3>
        <p className="text-muted [&_code]:text-ink">
          <CodeText text="`application/problem+json` (RFC 9457): `code` is stable, `detail` says what to do, `errors` names each invalid field by its `pointer`. Every endpoint that requires a scope can return:" />
        </p>
        <ProblemList problems={everywhere} />
      </div>
      <dl className="min-w-0 divide-y divide-hairline">
        {rules.map(({ name, text }) => (
          <Rule key={name} name={name}>
            <CodeText text={text} />
          </Rule>
        ))}
      </dl>
    </div>
  </Panel>
);

/** Error codes with their status and meaning. */
export const ProblemList = ({ problems }: { problems: readonly EndpointProblem[] }) => (
  <ul className="divide-y divide-hairline">
    {problems.map(({ status, code, title }) => (
      <li key={`${status} ${code}`} className="flex items-baseline gap-3 py-1.5 text-sm">
        <span className="tabular">{status}</span>
        <span className="flex min-w-0 flex-wrap gap-x-3">
          <code className="font-mono">{code}</code>
          <span className="text-muted">{title}</span>
        </span>
      </li>
    ))}
  </ul>
);
