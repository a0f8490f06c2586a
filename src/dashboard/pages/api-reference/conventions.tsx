import type { ReactNode } from 'react';
import { paths } from '../../paths.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { Link } from '../../ui/controls/link.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { CodeText } from './code-text.tsx';
import { TOKEN_VARIABLE } from './curl-example.ts';
import type { Refusal } from './reference.ts';

const rules: readonly { name: string; text: string }[] = [
  {
    name: 'Lists',
    text: 'A page is `{ "data": […], "nextCursor": … }`; pass `nextCursor` as `?cursor=` with the same filters until it is null. `?limit=` takes 1 to 200, `?total=true` adds the count.',
  },
  {
    name: 'Changes',
    text: 'PATCH takes what is to change and leaves the rest (RFC 7396). Send the `ETag` that you read as `If-Match`: where somebody else was faster you get 412 and nothing is overwritten.',
  },
  {
    name: 'Repeats',
    text: 'A POST that creates takes an `Idempotency-Key` of your choice. The same key within 24 hours gets the first answer again instead of a second resource. Telemetry is safe to repeat by itself.',
  },
  {
    name: 'Times',
    text: 'Fields that end in `At` are RFC 3339 in UTC; `ts` of telemetry is epoch milliseconds.',
  },
  {
    name: 'Limits',
    text: 'Bodies up to 5 MiB, 20 MiB inflated. No rate limit on valid keys; ten wrong tokens a minute from one address get 429. 503 says when to come back in `Retry-After`.',
  },
  {
    name: 'Versions',
    text: 'Within `/v1` fields and values are only added: ignore those that you do not know. A body with an unknown field is refused.',
  },
];

const Rule = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-1 gap-x-4 py-2 md:grid-cols-[5.5rem_1fr]">
    <dt className="font-medium">{name}</dt>
    <dd className="min-w-0 text-muted [&_code]:text-ink">{children}</dd>
  </div>
);

/** What holds for every endpoint, told once. */
export const Conventions = ({ baseUrl, everywhere }: { baseUrl: string; everywhere: readonly Refusal[] }) => (
  <Panel title="For every endpoint" className="mb-6">
    <div className="grid gap-x-8 gap-y-3 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <p className="text-muted">
          The address is <code className="font-mono text-sm break-all text-ink">{baseUrl}</code>; bodies and
          answers are JSON. Each request carries an <Link to={paths.apiKeys}>API key</Link> as its bearer
          token. The lines on this page read it from <code className="font-mono">${TOKEN_VARIABLE}</code>:
        </p>
        <CodeBlock
          label="Say which key to use, then who it is"
          code={`export ${TOKEN_VARIABLE}=pen_key_…\ncurl ${baseUrl}/v1/session \\\n  -H "Authorization: Bearer $${TOKEN_VARIABLE}"`}
        />
        <h3 className="mt-2 font-medium">Errors</h3>
        <p className="text-muted [&_code]:text-ink">
          <CodeText text="`application/problem+json` (RFC 9457): `code` stays the same, `detail` says what to do next, `errors` names each wrong field by its `pointer`. Every endpoint that takes a scope may answer:" />
        </p>
        <RefusalList refusals={everywhere} />
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

/** Codes of errors with their status and what they mean. */
export const RefusalList = ({ refusals }: { refusals: readonly Refusal[] }) => (
  <ul className="divide-y divide-hairline">
    {refusals.map(({ status, code, title }) => (
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
