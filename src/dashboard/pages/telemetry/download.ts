/** Hands a file to the browser's downloads. */
export const saveFile = (name: string, content: Blob) => {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser reads the address after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};

/**
 * Downloads a stream (`openStream(telemetryApi.export, { query, signal })`), telling how many bytes have come.
 * Aborting the signal that the stream was opened with stops it.
 */
export const download = async (
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  { fileName, type, onProgress }: { fileName: string; type: string; onProgress?: (bytes: number) => void },
): Promise<void> => {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = stream.getReader();
  let bytes = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    bytes += part.value.byteLength;
    onProgress?.(bytes);
  }
  saveFile(fileName, new Blob(parts, { type }));
};
