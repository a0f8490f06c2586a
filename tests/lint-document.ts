// Lints the API document with a linter that does not know how it is generated. Exits with 1 if it finds a problem.
import {
  BaseResolver,
  createConfig,
  formatProblems,
  getTotals,
  lintDocument,
  makeDocumentFromString,
} from '@redocly/openapi-core';
import { openapiDocument } from '#service/openapi/openapi-document.ts';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // IDs begin with their kind (`dev_…`), and the router prefers fixed segments, so no path matches two operations.
    'no-ambiguous-paths': 'off',
    // `x-events` refers to the frames of the stream. The linter does not follow it.
    'no-unused-components': 'off',
    'operation-description': 'error',
    'operation-operationId': 'error',
    'operation-singular-tag': 'error',
    'parameter-description': 'error',
    'tag-description': 'error',
    'no-unresolved-refs': 'error',
    'component-name-unique': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-invalid-schema-examples': 'error',
    'no-duplicated-tag-names': 'error',
  },
});
const text = JSON.stringify(openapiDocument('https://penstock.plant.internal', '0.0.0'));
const document = makeDocumentFromString(text, 'openapi.json');
const problems = await lintDocument({
  document,
  config,
  externalRefResolver: new BaseResolver(config.resolve),
});
formatProblems(problems, { totals: getTotals(problems), version: '', format: 'stylish' });
process.exit(problems.length === 0 ? 0 : 1);
