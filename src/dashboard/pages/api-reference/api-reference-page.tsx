import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useDeferredValue, useEffect, useState } from 'react';
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import {
  referenceQueries,
  groupByTag,
  readReference,
  tagId,
  type Reference,
  type Operation,
} from './reference.ts';
import { session } from '../../api/session.ts';
import { sessionQueries } from '../../api/session-queries.ts';
import { paths } from '../../paths.ts';
import { Failure } from '../../kit/failure.tsx';
import { Button, buttonClass } from '../../ui/controls/button.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { useMediaQuery } from '../../ui/browser/media-query.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { SearchInput } from '../../ui/controls/search-input.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { Conventions } from './conventions.tsx';
import { OperationEntry } from './operation-entry.tsx';
import { OperationNav, TagMenu } from './operation-nav.tsx';
import { fieldsOf, type DocumentedField } from './schema-fields.ts';
import type { JsonSchema, NamedSchemas } from './json-schema.ts';

/** All endpoints of the API, from the service's OpenAPI document. */
export const ApiReferencePage = () => {
  const [params, setParams] = useQueryParams();
  const read = useQuery({ ...referenceQueries.document(), select: readReference });
  const reference = read.data;
  const q = params.get('q') ?? '';
  return (
    <>
      <PageHeader
        title="API"
        aside={
          <output className="tabular text-muted">{reference !== undefined && countText(reference, q)}</output>
        }
        actions={
          <a
            href={`${session.baseUrl()}/v1/openapi.json`}
            target="_blank"
            rel="noreferrer"
            className={buttonClass()}
          >
            OpenAPI document
            <ExternalLink aria-hidden className="size-4" />
          </a>
        }
      >
        The endpoints of this server. Scripts can do everything this dashboard does.
      </PageHeader>
      {reference !== undefined ? (
        <ReferenceView
          reference={reference}
          params={params}
          change={(changes) =>
            setParams(
              (old) => withParams(old, changes),
              'q' in changes ? { isTyped: true } : { replace: true, preventScrollReset: true },
            )
          }
        />
      ) : read.isError ? (
        <div className="rounded-md border border-hairline bg-surface">
          <Failure error={read.error} onRetry={() => void read.refetch()} />
        </div>
      ) : (
        <ReferenceSkeleton />
      )}
    </>
  );
};

const countText = (reference: Reference, q: string): string => {
  const count = plural(searchReference(reference, q).length, 'endpoint');
  return q.trim() === '' ? count : `${count} found`;
};

type ViewProps = {
  reference: Reference;
  params: URLSearchParams;
  change: (changes: Record<string, string | readonly string[]>) => void;
};

const ReferenceView = ({ reference, params, change }: ViewProps) => {
  const connection = useQuery(serviceQueries.connection());
  const who = useQuery(sessionQueries.who());
  const isWide = useMediaQuery('(width >= 80rem)');
  const opened = params.getAll('open');
  const q = params.get('q') ?? '';
  const found = searchReference(reference, useDeferredValue(q));
  const groups = groupByTag(found);
  const baseUrl = connection.data?.baseUrl ?? session.baseUrl();
  const { goTo } = useGoTo(opened.at(-1));

  return (
    <div className="flex items-start gap-6">
      <div className="min-w-0 flex-1">
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <SearchInput
            label="Search endpoints"
            placeholder="Path, word, field or error"
            value={q}
            onChange={(text) => change({ q: text })}
            className="min-w-40 flex-1 md:max-w-80"
          />
          {!isWide && <TagMenu groups={groups} />}
        </div>
        {q.trim() === '' && <Conventions baseUrl={baseUrl} everywhere={reference.everywhere} />}
        {groups.length === 0 ? (
          <div className="rounded-md border border-hairline bg-surface">
            <EmptyState
              title="No matching endpoints"
              action={<Button onClick={() => change({ q: '' })}>Clear search</Button>}
            >
              Search matches paths, summaries, scopes, fields, error codes and statuses.
            </EmptyState>
          </div>
        ) : (
          groups.map(({ tag, operations }) => (
            <section key={tag} id={tagId(tag)} aria-label={tag} className="mb-5 scroll-mt-4">
              <h2 className="mb-1.5 text-lg font-semibold" tabIndex={-1}>
                {tag}
              </h2>
              {reference.about.has(tag) && (
                <p className="-mt-1 mb-2 text-muted">{reference.about.get(tag)}</p>
              )}
              <ul className="divide-y divide-hairline rounded-md border border-hairline bg-surface">
                {operations.map((operation) => {
                  const isOpen = opened.includes(operation.id);
                  return (
                    <OperationEntry
                      key={operation.id}
                      operation={operation}
                      reference={reference}
                      baseUrl={baseUrl}
                      held={who.data?.scopes}
                      isOpen={isOpen}
                      onToggle={() =>
                        change({
                          open: isOpen
                            ? opened.filter((id) => id !== operation.id)
                            : [...opened, operation.id],
                        })
                      }
                    />
                  );
                })}
              </ul>
            </section>
          ))
        )}
      </div>
      {isWide && (
        <div className="w-60 shrink-0 self-stretch">
          <OperationNav
            groups={groups}
            opened={opened}
            linkTo={(id) =>
              `${paths.apiReference}?${withParams(params, { open: [...opened.filter((other) => other !== id), id] })}`
            }
            onJump={goTo}
          />
        </div>
      )}
    </div>
  );
};

/** Scrolls to an endpoint and focuses it: the one in the link, or the one chosen at the side. */
const useGoTo = (linked: string | undefined) => {
  const { key } = useLocation();
  const isBack = useNavigationType() === NavigationType.Pop && key !== 'default';
  // Not replayed by Back. An object, since the same endpoint can be chosen twice.
  const [target, setTarget] = useState(linked === undefined || isBack ? null : { id: linked });
  useEffect(() => {
    if (target === null) return;
    const entry = document.getElementById(target.id);
    entry?.scrollIntoView({ block: 'start' });
    entry?.querySelector('button')?.focus({ preventScroll: true });
  }, [target]);
  return { goTo: (id: string) => setTarget({ id }) };
};

const ReferenceSkeleton = () => (
  <div aria-busy="true">
    <output className="sr-only">Loading</output>
    {[1, 2, 3].map((part) => (
      <div
        key={part}
        className="mb-5 flex flex-col gap-6 rounded-md border border-hairline bg-surface px-4 py-5"
      >
        {[1, 2, 3, 4].map((line) => (
          <Skeleton key={line} className="w-2/3" />
        ))}
      </div>
    ))}
  </div>
);

const namesIn = (fields: readonly DocumentedField[]): string[] =>
  fields.flatMap(({ name, fields: inner }) => [name, ...namesIn(inner)]);

const fieldNames = (schema: JsonSchema | undefined, named: NamedSchemas): string[] =>
  schema === undefined ? [] : namesIn(fieldsOf(schema, named));

const textOf = (operation: Operation, named: NamedSchemas): string =>
  [
    operation.method,
    operation.path,
    operation.tag,
    operation.summary,
    operation.description ?? '',
    operation.scope,
    ...operation.parameters.map(({ name }) => name),
    ...operation.problems.flatMap(({ status, code }) => [String(status), code]),
    ...fieldNames(operation.body?.schema, named),
    ...operation.responses.flatMap(({ content }) => fieldNames(content?.schema, named)),
  ]
    .join(' ')
    .toLowerCase();

const texts = new WeakMap<Reference, Map<string, string>>();

/**
 * The endpoints that match every word: in the path, the texts, the parameters or the responses. In `devices 404`, the number
 * is a word of its own, unlike in searches of names.
 */
const searchReference = (reference: Reference, q: string): readonly Operation[] => {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return reference.operations;
  const known =
    texts.get(reference) ??
    new Map(reference.operations.map((operation) => [operation.id, textOf(operation, reference.named)]));
  texts.set(reference, known);
  return reference.operations.filter(({ id }) => words.every((word) => known.get(id)?.includes(word)));
};
