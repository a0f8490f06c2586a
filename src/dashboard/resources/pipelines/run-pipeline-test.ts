import type { PipelineTest } from '#contract/pipeline-test.ts';
import { pipelineTestLineSchema, type PipelineTestLine } from '#contract/pipeline-test-line.ts';
import { pipelinesApi, type NewPipeline } from '#contract/pipelines.ts';
import { offlineError } from '../../api/api-error.ts';
import { openStream } from '../../api/client.ts';

/** The complete lines of a stream, as they arrive. */
async function* readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (text + part.value).split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}

type Options = {
  body: NewPipeline;
  /** Undefined for a new pipeline. */
  pipelineId: string | undefined;
  signal: AbortSignal;
  /** Called when a step begins or ends. */
  onLine: (line: Exclude<PipelineTestLine, { type: 'end' }>) => void;
};

/** Tests an unsaved pipeline. The service stops the test when `signal` aborts. @throws ApiError */
export const runPipelineTest = async ({
  body,
  pipelineId,
  signal,
  onLine,
}: Options): Promise<PipelineTest> => {
  const stream = await openStream(pipelinesApi.test, {
    body,
    query: { pipeline: pipelineId },
    headers: { accept: 'application/x-ndjson' },
    signal,
  });
  let cause: unknown;
  try {
    for await (const text of readLines(stream)) {
      const line = pipelineTestLineSchema.parse(JSON.parse(text));
      if (line.type === 'end') return line.test;
      onLine(line);
    }
  } catch (error) {
    signal.throwIfAborted();
    cause = error;
  }
  const error = offlineError(cause);
  error.operation = `${pipelinesApi.test.method} ${pipelinesApi.test.path}`;
  throw error;
};
