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
import { ownProblems, type Answer, type Content, type Operation, type Reference } from './reference.ts';
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
  const of = `${operation.method} ${operation.path}`;
  const parametersIn = (place: string) =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => parameterField(parameter, named));
  const parts = [
    { title: 'Path', fields: parametersIn('path') },
    { title: 'Query', fields: parametersIn('query') },
    { title: 'Headers', fields: parametersIn('header') },
  ].filter(({ fields }) => fields.length > 0);
  const takes = parts.length > 0 || operation.body !== null;
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
      <div className={takes ? 'grid gap-x-8 gap-y-4 xl:grid-cols-2' : undefined}>
        {takes && (
          <div className="flex min-w-0 flex-col gap-4">
            {parts.map(({ title, fields }) => (
              <Part key={title} title={title} of={of}>
                <FieldList fields={fields} />
              </Part>
            ))}
            {operation.body !== null && (
              <Part title="Body" of={of} aside={<Types types={operation.body.types} />}>
                <ContentFields content={operation.body} named={named} />
              </Part>
            )}
          </div>
        )}
        <div className="flex min-w-0 flex-col gap-4">
          {operation.answers.map((answer) => (
            <AnswerPart
              key={answer.status}
              of={of}
              answer={answer}
              answers={operation.answers}
              named={named}
            />
          ))}
          <Errors of={of} problems={ownProblems(operation, everywhere)} isOpen={operation.scope === 'none'} />
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
  of: string;
  aside?: ReactNode;
  children: ReactNode;
};

const Part = ({ title, of, aside, children }: PartProps) => (
  <section aria-label={`${title} of ${of}`}>
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

type ContentProps = { content: Content; named: NamedSchemas; isAnswer?: boolean };

const ContentFields = ({ content, named, isAnswer = false }: ContentProps) => {
  const fields = fieldsOf(content.schema, named);
  if (fields.length > 0) return <FieldList fields={fields} isAnswer={isAnswer} />;
  const isRaw = !content.types.some((type) => type.includes('json') && !type.includes('ndjson'));
  return (
    <p className="py-2 text-sm text-muted">{isRaw ? 'Accepted as is.' : typeText(content.schema, named)}</p>
  );
};

type AnswerProps = { of: string; answer: Answer; answers: readonly Answer[]; named: NamedSchemas };

const AnswerPart = ({ of, answer, answers, named }: AnswerProps) => {
  const { status, content } = answer;
  // The responses 200 and 201 of one endpoint have the same body.
  const first = answers.find((other) => JSON.stringify(other.content) === JSON.stringify(content));
  return (
    <Part
      title={`Response ${status}`}
      of={of}
      {...(content !== null && { aside: <Types types={content.types} /> })}
    >
      {content === null ? (
        <p className="py-2 text-sm text-muted">No body.</p>
      ) : first !== undefined && first.status !== status ? (
        <p className="py-2 text-sm text-muted">Same as {first.status}.</p>
      ) : content.types.some((type) => type.includes('json') && !type.includes('ndjson')) ? (
        <ContentFields content={content} named={named} isAnswer />
      ) : (
        <>
          <p className="py-2 text-sm text-muted">Not a JSON document.</p>
          {Object.entries(content.events).map(([name, schema]) => (
            <div key={name}>
              <h5 className="border-b border-hairline pt-2 pb-1 text-sm font-medium">
                event: <code className="font-mono">{name}</code>
              </h5>
              <FieldList fields={fieldsOf(schema, named)} isAnswer />
            </div>
          ))}
        </>
      )}
    </Part>
  );
};

type ErrorsProps = { of: string; problems: Operation['problems']; isOpen: boolean };

const Errors = ({ of, problems, isOpen }: ErrorsProps) => (
  <Part
    title="Errors"
    of={of}
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
