import { tags } from '#contract/endpoint.ts';
import { operations } from '#contract/endpoints.ts';
import { problemSchema } from '#contract/problem.ts';
import { scopes } from '#contract/scope.ts';
import { createComponents, type Json } from './openapi-components.ts';
import { requestHeaders } from './openapi-headers.ts';
import { operationOf } from './openapi-operation.ts';
import { createProblems } from './openapi-problems.ts';

const DESCRIPTION = `Devices, ingestion pipelines, telemetry and API keys.

**Versioning.** Within v1, changes are additive. Clients must ignore unknown fields and accept any string where a response
lists known values. Requests are strict: an unknown field returns \`422 validation-failed\`, an unknown or repeated parameter
\`400 invalid-parameter\`.

**Problems.** Errors are \`application/problem+json\` (RFC 9457), whatever \`Accept\` says. \`code\` is for programs; \`detail\`
says what is wrong and what to do. A path that is not listed here returns \`404 not-found\`, an unsupported method
\`405 method-not-allowed\` with \`Allow\`, and invalid HTTP \`400 malformed-body\`.

**Lists** return \`{ data, nextCursor }\`. To read all pages, repeat the request with \`cursor\` and the same filters and sort
until \`nextCursor\` is null.

**Concurrent changes.** Resources have a strong \`ETag\`. With \`If-Match\`, a change to an outdated revision is rejected.

**Bodies** can be compressed with gzip: at most 5 MiB as sent, and 20 MiB after decompression. Responses are compressed with br
or gzip according to \`Accept-Encoding\`. Operations without a body ignore the body of a request.`;

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
        influxdbToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Token` and an API key, as clients of InfluxDB send it. Also `Token user:key`.',
        },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'An API key as the password, with any user name.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, or the token of a session. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}. Operations without a scope accept any token.`,
        },
      },
    },
  };
};
