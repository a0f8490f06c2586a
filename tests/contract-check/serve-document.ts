import { flushCompileCache } from 'node:module';
import type { TestProject } from 'vitest/node';
import { startTestService } from '#tests/service/start-test-service.ts';
import type { ApiDocument } from './api-document.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The document that the service serves: all that the contract check goes by. */
    apiDocument: ApiDocument;
  }
}

/** Runs before the tests of a project: asks a service for its document. */
export const setup = async (project: TestProject): Promise<void> => {
  const test = await startTestService();
  const { body } = await test.request('GET', '/v1/openapi.json', { token: null });
  await test.close();
  // The workers load the modules of the service in half the CPU time: Node writes compiled code only as a process ends.
  flushCompileCache();
  project.provide('apiDocument', body as ApiDocument);
};
