/** Saves a file through the browser's downloads. */
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // The browser reads the URL after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
};
