import type { ReactNode } from 'react';
import type { Scope } from '#contract/scope.ts';
import { basePath } from '../../api/session.ts';
import { paths, withQuery } from '../../paths.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { CodeText } from './code-text.tsx';
import { curlExample } from './curl-example.ts';
import { FieldList } from './field-list.tsx';
import type { NamedSchemas } from './json-schema.ts';
import { ProblemList } from './conventions.tsx';
import { ownProblems, type ApiResponse, type Content, type Operation, type Reference } from './reference.ts';
import { fieldsOf, parameterField, typeText } from './schema-fields.ts';

type Props = {
  operation: Operation;
  reference: Reference;
  baseUrl: string;
  held: readonly Scope[] | undefined;
};

/** The parameters, body, responses and errors of one endpoint. */
export const OperationDetails = ({ operation, reference, baseUrl, held }: Props) => {
  const { named, everywhere } = reference;
  const endpoint = `${operation.method} ${operation.path}`;
  const parametersIn = (place: string) =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => parameterField(parameter, named));
  const parts = [
    { title: 'Path', fields: parametersIn('path') },
    { title: 'Query', fields: parametersIn('query') },
    { title: 'Headers', fields: parametersIn('header') },
  ].filter(({ fields }) => fields.length > 0);
  const hasInput = parts.length > 0 || operation.body !== null;
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-5">
      <div className="flex flex-col gap-1">
        {operation.description !== undefined && (
          <p className="max-w-[80ch]">
            <CodeText text={operation.description} />
          </p>
        )}
        <ScopeSentence scope={operation.scope} held={held} />
      </div>
      <CodeBlock label={`${operation.summary} with curl`} code={curlExample(operation, named, baseUrl)} />
      <div className={hasInput ? 'grid gap-x-8 gap-y-4 xl:grid-cols-2' : undefined}>
        {hasInput && (
          <div className="flex min-w-0 flex-col gap-4">
            {parts.map(({ title, fields }) => (
              <Part key={title} title={title} endpoint={endpoint}>
                <FieldList fields={fields} />
              </Part>
            ))}
            {operation.body !== null && (
              <Part title="Body" endpoint={endpoint} aside={<Types types={operation.body.types} />}>
                <ContentFields content={operation.body} named={named} />
              </Part>
            )}
          </div>
        )}
        <div className="flex min-w-0 flex-col gap-4">
          {operation.responses.map((response) => (
            <ResponsePart
              key={response.status}
              endpoint={endpoint}
              response={response}
              responses={operation.responses}
              named={named}
            />
          ))}
          <Errors
            endpoint={endpoint}
            problems={ownProblems(operation, everywhere)}
            isOpen={operation.scope === 'none'}
          />
        </div>
      </div>
      <CopyButton
        variant="quiet"
        text={`${window.location.origin}${basePath}${withQuery(paths.apiReference, { open: operation.id })}`}
        label="Copy link to this endpoint"
        className="-ml-3 self-start text-muted"
      />
    </div>
  );
};

const ScopeSentence = ({ scope, held }: { scope: string; held: readonly Scope[] | undefined }) => {
  if (scope === 'none') return <p className="text-muted">Requires no token.</p>;
  if (scope === 'any') return <p className="text-muted">Requires any valid token.</p>;
  if (scope === 'any-read')
    return <p className="text-muted">Requires a token with at least one read scope.</p>;
  const isHeld = held?.some((each) => each === scope);
  return (
    <p className="text-muted">
      Requires the scope <code className="font-mono text-sm text-ink">{scope}</code>
      {isHeld === true && ', which this session has'}
      {isHeld === false && <span className="text-attention-text">, which this session lacks</span>}.
    </p>
  );
};

type PartProps = {
  title: string;
  /** The endpoint that the part belongs to: several may be open. */
  endpoint: string;
  aside?: ReactNode;
  children: ReactNode;
};

const Part = ({ title, endpoint, aside, children }: PartProps) => (
  <section aria-label={`${title} of ${endpoint}`}>
    <div className="flex flex-wrap items-baseline gap-x-3 border-b border-hairline pb-1">
      <h4 className="font-semibold">{title}</h4>
      {aside}
    </div>
    {children}
  </section>
);

const Types = ({ types }: { types: readonly string[] }) => (
  <span className="font-mono text-sm break-all text-muted">
    {types.map((type) => (type === '*/*' ? 'any type' : type)).join(', ')}
  </span>
);

type ContentProps = { content: Content; named: NamedSchemas; isResponse?: boolean };

const ContentFields = ({ content, named, isResponse = false }: ContentProps) => {
  const fields = fieldsOf(content.schema, named);
  if (fields.length > 0) return <FieldList fields={fields} isResponse={isResponse} />;
  const isRaw = !content.types.some((type) => type.includes('json') && !type.includes('ndjson'));
  return (
    <p className="py-2 text-sm text-muted">{isRaw ? 'Accepted as is.' : typeText(content.schema, named)}</p>
  );
};

type ResponseProps = {
  endpoint: string;
  response: ApiResponse;
  responses: readonly ApiResponse[];
  named: NamedSchemas;
};

const ResponsePart = ({ endpoint, response, responses, named }: ResponseProps) => {
  const { status, content } = response;
  // The responses 200 and 201 of one endpoint have the same body.
  const first = responses.find((other) => JSON.stringify(other.content) === JSON.stringify(content));
  return (
    <Part
      title={`Response ${status}`}
      endpoint={endpoint}
      {...(content !== null && { aside: <Types types={content.types} /> })}
    >
      {content === null ? (
        <p className="py-2 text-sm text-muted">No body.</p>
      ) : first !== undefined && first.status !== status ? (
        <p className="py-2 text-sm text-muted">Same as {first.status}.</p>
      ) : content.types.some((type) => type.includes('json') && !type.includes('ndjson')) ? (
        <ContentFields content={content} named={named} isResponse />
      ) : (
        <>
          <p className="py-2 text-sm text-muted">Not a JSON document.</p>
          {Object.entries(content.events).map(([name, schema]) => (
            <div key={name}>
              <h5 className="border-b border-hairline pt-2 pb-1 text-sm font-medium">
                event: <code className="font-mono">{name}</code>
              </h5>
              <FieldList fields={fieldsOf(schema, named)} isResponse />
            </div>
          ))}
        </>
      )}
    </Part>
  );
};

type ErrorsProps = { endpoint: string; problems: Operation['problems']; isOpen: boolean };

const Errors = ({ endpoint, problems, isOpen }: ErrorsProps) => (
  <Part
    title="Errors"
    endpoint={endpoint}
    aside={<span className="font-mono text-sm text-muted">application/problem+json</span>}
  >
    {problems.length > 0 && <ProblemList problems={problems} />}
    {!isOpen && (
      <p className="py-1.5 text-sm text-muted">
        {problems.length > 0
          ? 'Also the errors of every endpoint, listed above.'
          : 'The errors of every endpoint, listed above.'}
      </p>
    )}
  </Part>
);
