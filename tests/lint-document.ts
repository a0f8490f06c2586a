// Looks at the API's document with a linter that knows nothing of how it is made; exits 1 where it finds something.
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
    // Ids begin with their kind (`dev_…`) and the router prefers what is written out, so no path is two.
    'no-ambiguous-paths': 'off',
    // What the stream sends is named by `x-events`, which the linter does not follow.
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
