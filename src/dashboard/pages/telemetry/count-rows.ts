const NEWLINE = 10;

/** Passes a stream on and tells how many lines have gone by, and when the last of them did. */
export const countRows = (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  onRows: (rows: number) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let rows = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) rows += 1;
        onRows(rows);
        controller.enqueue(part);
      },
    }),
  );
};
