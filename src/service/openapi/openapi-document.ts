import { tags } from '#contract/endpoint.ts';
import { operations } from '#contract/endpoints.ts';
import { problemSchema } from '#contract/problem.ts';
import { scopes } from '#contract/scope.ts';
import { createComponents, type Json } from './openapi-components.ts';
import { requestHeaders } from './openapi-headers.ts';
import { operationOf } from './openapi-operation.ts';
import { createProblems } from './openapi-problems.ts';

const DESCRIPTION = `Devices, ingestion pipelines, telemetry and API keys.

**Within v1 only additions are made.** Clients ignore fields that they do not know and take any string where an answer
lists known values. Requests are held to the letter: an unknown field is \`422 validation-failed\`, an unknown or repeated
parameter \`400 invalid-parameter\`.

**Problems.** What is no success is \`application/problem+json\` (RFC 9457), whatever \`Accept\` says; \`code\` tells programs and
\`detail\` tells people what to do next. A path that is not listed here is \`404 not-found\`; a method that a path does not
take is \`405 method-not-allowed\`, with \`Allow\`. What cannot be read as HTTP at all is \`400 malformed-body\`.

**Lists** answer \`{ data, nextCursor }\`: ask again with \`cursor\` until \`nextCursor\` is null, with the same filters and sort.

**Changes.** Resources carry a strong \`ETag\`; \`If-Match\` refuses a change that was based on another revision.

**Bodies** may be gzip, up to 5 MiB as sent and 20 MiB inflated; answers are br or gzip where \`Accept-Encoding\` says so. A body
that an operation does not take is not read.`;

/** The OpenAPI 3.1 document of the API, generated from the schemas that validate requests and responses. */
export const openapiDocument = (baseUrl: string, version: string): Json & { openapi: string } => {
  const parts = { components: createComponents(), problems: createProblems() };
  parts.components.jsonSchema(problemSchema, 'output');
  const paths: Record<string, Json> = {};
  for (const [id, endpoint] of operations)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(parts, id, endpoint);
  const { components, problems } = parts;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version,
      summary: 'A self-hosted console for IoT devices.',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This service.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: problems.responses,
      examples: problems.examples,
      parameters: requestHeaders,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, or the token of a session. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}. Operations without a scope accept any token.`,
        },
      },
    },
  };
};
