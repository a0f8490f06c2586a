/** Copies to the clipboard; on plain HTTP, where the clipboard API is missing, by the selection. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
    area.style.position = 'fixed';
    area.style.opacity = '0';
    const focused = document.activeElement;
    // Inside an open dialog focus may not leave it, so the area goes where the focus is.
    (focused?.parentElement ?? document.body).append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
};
